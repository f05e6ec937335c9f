// SPDX-License-Identifier: Apache-2.0
#include "embedded_store/defects/defect.h"

namespace watchproof::store {

const DefectRegistration kCancelSilencesNeighbour(
    {.name = "cancel-silences-neighbour",
     .explain = "A cancel ends only the watch that it names. This store also stops feeding the "
                "watch with the next higher id, without a message: that watch stays open and "
                "receives nothing from then on. Trigger: two watches on one stream, and a cancel "
                "of the first.",
     .guarantees = {"Isolated"}},
    [](Hooks& hooks) { hooks.cancel_reach = CancelReach::kNeighbourToo; });

}  // namespace watchproof::store
