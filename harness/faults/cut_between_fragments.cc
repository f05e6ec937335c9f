// SPDX-License-Identifier: Apache-2.0
// A client receives some fragments of a response and not the rest.
#include "harness/faults/stream_fault.h"

namespace watchproof {
namespace {

const FaultRegistration kCutBetweenFragments{{
    .info = {.name = "cut-between-fragments",
             .explain = "Ends a watch stream, or its connection, between the k-th fragment of a "
                        "response and the next one. Took effect if it acted and a watch stream of "
                        "the clients ended after that.",
             .parameters = {{"fragment", "1", "k: the last fragment that arrives"},
                            kHow,
                            CodeParameter("internal-error"),
                            kTimes},
             .follows_streams = true,
             .ends_streams = EndsStreams::kProxied},
    .make =
        [](const FaultParameters& given) { return MakeStreamCut("cut-between-fragments", given); },
}};

}  // namespace
}  // namespace watchproof
