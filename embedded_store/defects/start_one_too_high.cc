// SPDX-License-Identifier: Apache-2.0
#include "embedded_store/defects/defect.h"
#include "embedded_store/watch/watch_types.h"

namespace watchproof::store {

const DefectRegistration kStartOneTooHigh(
    {.name = "start-one-too-high",
     .explain = "A client that lost its connection resumes at the revision after the last one it "
                "received. This store takes the start revision of a watch on a range for one that "
                "was already delivered and starts at the next one, so each reconnect loses one "
                "revision. Most of the time that revision changed another key, and the loss goes "
                "unnoticed. Trigger: a watch on a range with a start revision at which that range "
                "was changed.",
     .guarantees = {"Reliable", "Resumable"}},
    [](Hooks& hooks) {
      hooks.on_create = [before = hooks.on_create](WatchSpec& spec) {
        before(spec);
        if (!spec.range.single() && spec.start.value > 0) spec.start = spec.start.next();
      };
    });

}  // namespace watchproof::store
