// SPDX-License-Identifier: Apache-2.0
// The client is told to give its connection up, and which of its streams still count.
#include "harness/faults/stream_fault.h"

namespace watchproof {
namespace {

const FaultRegistration kGoaway{{
    .info = {.name = "goaway",
             .explain = "Tells the client with GOAWAY that the connection is to be given up and "
                        "which stream was the last that counts; by default none does. Felt when "
                        "it acted and a watch stream of the clients ended after it.",
             .parameters = MomentParameters(
                 {{"last", "0", "the last stream id that counts; a client's first one is 1"},
                  CodeParameter("no-error"),
                  kTimes}),
             .follows_streams = true,
             .ends_streams = EndsStreams::kProxied},
    .make = [](const FaultParameters& given) { return MakeStreamCut("goaway", given); },
}};

}  // namespace
}  // namespace watchproof
