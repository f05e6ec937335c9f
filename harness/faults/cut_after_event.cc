// SPDX-License-Identifier: Apache-2.0
// The last thing a client gets is the first event of a revision.
#include "harness/faults/stream_fault.h"

namespace watchproof {
namespace {

const FaultRegistration kCutAfterEvent{{
    .info = {.name = "cut-after-event",
             .explain = "Ends a watch stream, or its connection, to the byte behind the first "
                        "event of a revision or of a later one. Felt when it acted and a watch "
                        "stream of the clients ended after it.",
             .parameters = {{"revision", "0", "the least revision; 0 is any"},
                            kHow,
                            CodeParameter("internal-error"),
                            kTimes},
             .follows_streams = true,
             .ends_streams = EndsStreams::kProxied},
    .make = [](const FaultParameters& given) { return MakeStreamCut("cut-after-event", given); },
}};

}  // namespace
}  // namespace watchproof
