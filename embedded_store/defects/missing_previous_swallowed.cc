// SPDX-License-Identifier: Apache-2.0
#include "embedded_store/defects/defect.h"

namespace watchproof::store {

const DefectRegistration kMissingPreviousSwallowed(
    {.name = "missing-previous-swallowed",
     .explain = "With strict previous values this store must end a watch with ErrCompacted when "
                "compaction has removed the previous value of an event before it could be queued. "
                "This defect sends the event without the value instead, as etcd does and is "
                "allowed to do. A cache that relies on the promise keeps an object that is gone. "
                "Trigger: --strict-prev-kv, a reader that stops reading, a deletion, and a "
                "compaction at it.",
     .upstream_issue = "#10681",
     .guarantees = {"PreviousValue"}},
    [](Hooks& hooks) { hooks.previous_gone = PreviousGone::kLeftOut; });

}  // namespace watchproof::store
