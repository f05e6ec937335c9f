// SPDX-License-Identifier: Apache-2.0
#include "embedded_store/defects/defect.h"

namespace watchproof::store {

const DefectRegistration kNegativeStartSpoilsPass(
    {.name = "negative-start-spoils-pass",
     .explain = "A watch at start revision -1 makes no sense and is harmless in most servers. "
                "This store takes -1 for a position. The history that it then reads for all "
                "watches of the same pass of its catch-up loop is empty, and all of them, other "
                "clients' too, count as caught up although no event was delivered. etcd did this "
                "up to 3.4.37, 3.5.23 and 3.6.5, as long as the store had never been compacted. "
                "Trigger: a watch with history to read and, at the same moment, a watch at -1.",
     .upstream_issue = "#20693",
     .guarantees = {"Reliable"}},
    [](Hooks& hooks) { hooks.negative_start = NegativeStart::kSpoilsThePass; });

}  // namespace watchproof::store
