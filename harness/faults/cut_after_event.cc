// SPDX-License-Identifier: Apache-2.0
// The stream ends right after the first event of a revision.
#include "harness/faults/stream_fault.h"

namespace watchproof {
namespace {

const FaultRegistration kCutAfterEvent{{
    .info = {.name = "cut-after-event",
             .explain = "Ends a watch stream, or its connection, exactly behind the first event "
                        "of a revision or of a later one. Took effect if it acted and a watch "
                        "stream of the clients ended after that.",
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
