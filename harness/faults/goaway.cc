// SPDX-License-Identifier: Apache-2.0
// The client receives GOAWAY: the connection closes, and only streams up to a given one still
// count.
#include "harness/faults/stream_fault.h"

namespace watchproof {
namespace {

const FaultRegistration kGoaway{{
    .info = {.name = "goaway",
             .explain = "Sends GOAWAY to the client: the connection is to close, and only streams "
                        "up to the named one still count; by default none does. Took effect if it "
                        "acted and a watch stream of the clients ended after that.",
             .parameters = MomentParameters(
                 {{"last", "0", "the last stream id that still counts; a client's first one is 1"},
                  CodeParameter("no-error"),
                  kTimes}),
             .follows_streams = true,
             .ends_streams = EndsStreams::kProxied},
    .make = [](const FaultParameters& given) { return MakeStreamCut("goaway", given); },
}};

}  // namespace
}  // namespace watchproof
