// SPDX-License-Identifier: Apache-2.0
// One response never arrives, and nothing on the wire says so.
#include "harness/faults/tamper.h"

namespace watchproof {
namespace {

const FaultRegistration kDropResponse{{
    .info = {.name = "drop-response",
             .explain = "Takes one response of one watcher out of its stream, so that the client "
                        "cannot see that anything is missing. It shows that a gap would be "
                        "noticed, and is refused before any target but our own. Felt when it was "
                        "taken out and, after it, the oracle misses something or a watch stream "
                        "ended.",
             .parameters = {{"watch", "0", "the watch id"},
                            {"count", "1", "which response with events or progress"}},
             .follows_streams = true,
             .self_test_only = true,
             .ends_streams = EndsStreams::kProxied},
    .make =
        [](const FaultParameters& given) {
          return MakeTamper({.effect = "drop-response",
                             .count = &proxy::Receipt::frames_swallowed,
                             .counted_as = "frames_swallowed"},
                            given);
        },
}};

}  // namespace
}  // namespace watchproof
