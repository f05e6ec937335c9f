// SPDX-License-Identifier: Apache-2.0
// A watch stream is ended with RST_STREAM towards both sides; its connection lives on.
#include "harness/faults/stream_fault.h"

namespace watchproof {
namespace {

const FaultRegistration kResetStream{{
    .info = {.name = "reset-stream",
             .explain = "Ends the watch stream of a connection with RST_STREAM, at an exact "
                        "moment of what the target says and with a chosen code, while the "
                        "connection lives on. Felt when it acted and a watch stream of the "
                        "clients ended after it.",
             .parameters =
                 {{"when", "at-once",
                   "at-once, bytes, response, created, event, progress, compaction or fragment"},
                  {"count", "1", "which of them, from 1"},
                  {"watch", "-1", "only responses of this watch id; -1 is any"},
                  {"revision", "0", "for event: the least revision"},
                  {"bytes", "0B", "for bytes: how many further ones of the stream"},
                  {"code", "internal-error",
                   "the reason that is given, such as cancel or refused-stream"},
                  {"times", "1", "on how many connections it acts; 0 is all, until healed"}},
             .follows_streams = true},
    .make = [](const FaultParameters& given) { return MakeStreamCut("reset-stream", given); },
}};

}  // namespace
}  // namespace watchproof
