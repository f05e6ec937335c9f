// SPDX-License-Identifier: Apache-2.0
// A watch stream is ended with RST_STREAM towards both ends; its connection stays open.
#include "harness/faults/stream_fault.h"

namespace watchproof {
namespace {

const FaultRegistration kResetStream{{
    .info = {.name = "reset-stream",
             .explain = "Ends the watch stream of a connection with RST_STREAM, at an exact "
                        "moment of what the target sends and with a chosen code, while the "
                        "connection stays open. Took effect if it acted and a watch stream of the "
                        "clients ended after that.",
             .parameters = MomentParameters({CodeParameter("internal-error"), kTimes}),
             .follows_streams = true,
             .ends_streams = EndsStreams::kProxied},
    .make = [](const FaultParameters& given) { return MakeStreamCut("reset-stream", given); },
}};

}  // namespace
}  // namespace watchproof
