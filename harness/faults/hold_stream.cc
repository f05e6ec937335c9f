// SPDX-License-Identifier: Apache-2.0
// One watch stream is stopped while its connection works: pings are answered, other streams flow.
#include "harness/faults/stream_fault.h"

namespace watchproof {
namespace {

const FaultRegistration kHoldStream{{
    .info = {.name = "hold-stream",
             .explain = "Holds back what the target sends on the watch stream of each connection, "
                        "from a chosen moment on; the connection and its other streams still "
                        "work. Took effect if enough bytes were withheld and the target's slow- "
                        "watcher gauge rose, or nothing arrived for 100 ms.",
             .parameters = MomentParameters({kHoldTime, kLeastHeld}),
             .follows_streams = true},
    .make =
        [](const FaultParameters& given) {
          return MakeStreamHold({.effect = "hold-stream"}, given);
        },
}};

}  // namespace
}  // namespace watchproof
