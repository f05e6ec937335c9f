// SPDX-License-Identifier: Apache-2.0
#include "embedded_store/defects/defect.h"

namespace watchproof::store {

const DefectRegistration kDeleteAtFloorLost(
    {.name = "delete-at-floor-lost",
     .explain = "Compaction keeps everything from its revision on, so a watch may start exactly "
                "there. When the change at that revision is a deletion, this store removes it "
                "together with what came before: the watch is created but never receives the "
                "deletion, and its client keeps a ghost of the key. etcd did this up to 3.4.33 "
                "and 3.5.15. Trigger: four requests: put, delete, compact at the deletion, watch "
                "from there.",
     .upstream_issue = "#18089",
     .guarantees = {"Reliable"}},
    [](Hooks& hooks) { hooks.delete_at_floor = FloorDelete::kDropped; });

}  // namespace watchproof::store
