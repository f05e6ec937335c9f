// SPDX-License-Identifier: Apache-2.0
// The client reads everything, but its window updates never reach the target.
#include "harness/faults/stream_fault.h"

namespace watchproof {
namespace {

const FaultRegistration kWithholdWindow{{
    .info = {.name = "withhold-window",
             .explain = "Holds back the window updates for the watch stream of each connection, "
                        "so that the target must stop when its flow-control window is used up. "
                        "Took effect if updates were withheld and the target's slow-watcher gauge "
                        "rose, or nothing arrived for 100 ms.",
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
