// SPDX-License-Identifier: Apache-2.0
// Reset-stream: both ends are told that the other one gave this stream up; its neighbours live on.
#include "proxies/http2/stream_cut.h"

namespace watchproof::proxy {
namespace {

const EffectRegistration kResetStream{{
    .name = "reset-stream",
    .explain =
        "Ends one stream with RST_STREAM towards both sides, at an exact moment and with a chosen "
        "code, as an intermediary that gives up on it would. What the ends had under way for it is "
        "swallowed; the connection and its other streams live on.",
    .parameters = CutParameters(TriggerParameters("at-once")),
    .make =
        [](const EffectSeed& seed) {
          return MakeStreamCut(seed,
                               {.trigger = ReadTrigger(seed.values, TriggerSpec::Place::kAfter)});
        },
}};

}  // namespace
}  // namespace watchproof::proxy
