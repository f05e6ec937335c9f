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
             .parameters =
                 {{"when", "at-once",
                   "at-once, bytes, response, created, event, progress, compaction or fragment"},
                  {"count", "1", "which of them, from 1"},
                  {"watch", "-1", "only responses of this watch id; -1 is any"},
                  {"revision", "0", "for event: the least revision"},
                  {"bytes", "0B", "for bytes: how many further ones of the stream"},
                  {"last", "0", "the last stream id that counts; a client's first one is 1"},
                  {"code", "no-error",
                   "the reason that is given, such as cancel or refused-stream"},
                  {"times", "1", "on how many connections it acts; 0 is all, until healed"}},
             .follows_streams = true},
    .make = [](const FaultParameters& given) { return MakeStreamCut("goaway", given); },
}};

}  // namespace
}  // namespace watchproof
