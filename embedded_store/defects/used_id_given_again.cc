// SPDX-License-Identifier: Apache-2.0
#include "embedded_store/defects/defect.h"

namespace watchproof::store {

const DefectRegistration kUsedIdGivenAgain(
    {.name = "used-id-given-again",
     .explain = "Ids that the server chooses are never used twice on one stream: what still waits "
                "for a cancelled watch could otherwise pass for the next watch's. This store "
                "gives out the lowest id that is free. Trigger: a create without an id, after "
                "another such watch of the stream was cancelled.",
     .guarantees = {"Isolated"}},
    [](Hooks& hooks) { hooks.automatic_id = AutomaticId::kLowestFree; });

}  // namespace watchproof::store
