// SPDX-License-Identifier: Apache-2.0
// The client takes everything, but the target is never told that there is room again.
#include "harness/faults/stream_fault.h"

namespace watchproof {
namespace {

const FaultRegistration kWithholdWindow{{
    .info = {.name = "withhold-window",
             .explain = "Keeps back the window updates of the watch stream of each connection, so "
                        "that the target has to stop once it has used up the window it has. Felt "
                        "when updates were withheld and the target's slow-watcher gauge rose, or "
                        "nothing arrived for 100 ms.",
             .parameters = {{"at-least", "1B",
                             "bytes of updates that must have been withheld for it to count"}},
             .follows_streams = true},
    .make =
        [](const FaultParameters& given) {
          return MakeStreamHold(
              {.effect = "withhold-window", .direction = proxy::Direction::kToTarget}, given);
        },
}};

}  // namespace
}  // namespace watchproof
