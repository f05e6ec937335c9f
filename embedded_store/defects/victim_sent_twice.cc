// SPDX-License-Identifier: Apache-2.0
#include "embedded_store/defects/defect.h"

namespace watchproof::store {

const DefectRegistration kVictimSentTwice(
    {.name = "victim-sent-twice",
     .explain = "When the queue of a stream is full its watches wait until there is room. This "
                "store forgets that the last revision before the full queue had been queued, and "
                "sends it once more when it continues. A client that counts or sums is wrong from "
                "then on. Trigger: a reader that stops reading for a while.",
     .guarantees = {"Unique"}},
    [](Hooks& hooks) {
      hooks.after_victim = [](Revision position, Revision) { return position.previous(); };
    });

}  // namespace watchproof::store
