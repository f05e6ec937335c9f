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
             .parameters =
                 {{"revision", "0", "the least revision; 0 is any"},
                  {"how", "stream", "stream: RST_STREAM; connection: RST, with everything on it"},
                  {"code", "internal-error",
                   "the reason that is given, such as cancel or refused-stream"},
                  {"times", "1", "on how many connections it acts; 0 is all, until healed"}},
             .follows_streams = true},
    .make = [](const FaultParameters& given) { return MakeStreamCut("cut-after-event", given); },
}};

}  // namespace
}  // namespace watchproof
