// SPDX-License-Identifier: Apache-2.0
#include "embedded_store/defects/defect.h"

namespace watchproof::store {

const DefectRegistration kLoneDeleteForgotten(
    {.name = "lone-delete-forgotten",
     .explain = "When a store starts it reads back what compaction has left. Of a key that was "
                "deleted at the compaction revision only the deletion is left, and this store "
                "ignores a deletion without a put before it: a watch that starts there does not "
                "receive it. etcd 3.4.34, 3.4.35, 3.5.16 and 3.5.17 lose it when the compaction "
                "was interrupted by a crash and is finished after the restart. Trigger here: a "
                "put, a delete, a compaction at the delete, and a crash at any time afterwards.",
     .upstream_issue = "#19179",
     .guarantees = {"Reliable"}},
    [](Hooks& hooks) { hooks.lone_delete = LoneDelete::kForgotten; });

}  // namespace watchproof::store
