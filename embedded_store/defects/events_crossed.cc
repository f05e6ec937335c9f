// SPDX-License-Identifier: Apache-2.0
#include "embedded_store/defects/defect.h"

namespace watchproof::store {

const DefectRegistration kEventsCrossed(
    {.name = "events-crossed",
     .explain = "All watches of a stream share one connection, and the watch id of a message "
                "names the watch that it belongs to. This store swaps the ids of neighbours, 2 "
                "with 3 and 4 with 5, when it sends events. Where both watch the same keys this "
                "has no visible effect; otherwise each receives the events of the other. Trigger: "
                "four watches on one stream, of which the last two differ.",
     .guarantees = {"Filtered"}},
    [](Hooks& hooks) {
      hooks.addressee = [before = hooks.addressee](WatchId id) {
        return id.value < 2 ? before(id) : WatchId{id.value ^ 1};
      };
    });

}  // namespace watchproof::store
