// SPDX-License-Identifier: Apache-2.0
// One response never arrives, and nothing on the wire shows it.
#include "harness/faults/tamper.h"

namespace watchproof {
namespace {

const FaultRegistration kDropResponse{{
    .info = {.name = "drop-response",
             .explain = "Removes one response of one watch from its stream, so that the client "
                        "cannot see a gap. It tests whether the oracle notices, and runs only "
                        "against the embedded store. Took effect if the response was removed and, "
                        "after that, the oracle missed an event or a watch stream ended.",
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
