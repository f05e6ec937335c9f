// SPDX-License-Identifier: Apache-2.0
#include "embedded_store/defects/defect.h"

namespace watchproof::store {

const DefectRegistration kCreateRevisionSurvivesDelete(
    {.name = "create-revision-survives-delete",
     .explain = "A key that is put after it was deleted starts a new generation: its create "
                "revision is that of the put. This store keeps the create revision of the old "
                "generation. Clients distinguish creation from change by comparing create and "
                "modify revision, so they take a new object for an old one, and a lock that "
                "queues by create revision lets a newcomer overtake waiting clients. Trigger: a "
                "put, a delete and a put.",
     .guarantees = {"Fields"}},
    [](Hooks& hooks) { hooks.recreation = Recreation::kItsCreateRevision; });

}  // namespace watchproof::store
