// SPDX-License-Identifier: Apache-2.0
// Reset-stream: both ends get a reset of this stream; its neighbours continue.
#include "proxies/http2/stream_cut.h"

namespace watchproof::proxy {

const EffectRegistration kResetStream{{
    .name = "reset-stream",
    .explain =
        "Ends one stream with RST_STREAM towards both sides, at an exact moment and with a "
        "chosen code, as an intermediary that gives up on it would. Bytes of the stream that "
        "are under way are swallowed; the connection and its other streams continue.",
    .parameters = CutParameters(TriggerParameters()),
    .on_streams = true,
    .make =
        [](const EffectSeed& seed) {
          return MakeStreamCut(seed,
                               {.trigger = ReadTrigger(seed.values, TriggerSpec::Place::kAfter)});
        },
}};

}  // namespace watchproof::proxy
