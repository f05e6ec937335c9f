// SPDX-License-Identifier: Apache-2.0
// One watch stream stands still while its connection is alive: pings are answered, other streams
// flow.
#include "harness/faults/stream_fault.h"

namespace watchproof {
namespace {

const FaultRegistration kHoldStream{{
    .info = {.name = "hold-stream",
             .explain = "Holds back what the target says on the watch stream of each connection, "
                        "from a chosen moment on, while the connection and its other streams "
                        "flow. Felt when enough bytes were withheld and the target's slow-watcher "
                        "gauge rose, or nothing arrived for 100 ms.",
             .parameters =
                 {{"when", "at-once",
                   "at-once, bytes, response, created, event, progress, compaction or fragment"},
                  {"count", "1", "which of them, from 1"},
                  {"watch", "-1", "only responses of this watch id; -1 is any"},
                  {"revision", "0", "for event: the least revision"},
                  {"bytes", "0B", "for bytes: how many further ones of the stream"},
                  {"duration", "0ms", "how long it holds by itself; 0 is until healed"},
                  {"at-least", "1B", "bytes that must have been withheld for it to count"}},
             .follows_streams = true},
    .make =
        [](const FaultParameters& given) {
          return MakeStreamHold({.effect = "hold-stream"}, given);
        },
}};

}  // namespace
}  // namespace watchproof
