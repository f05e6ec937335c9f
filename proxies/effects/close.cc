// SPDX-License-Identifier: Apache-2.0
// Close: the connection ends with FIN, as if the other side had closed it.
#include <memory>

#include "proxies/effects/aimed_effect.h"

namespace watchproof::proxy {
namespace {

const EffectRegistration kClose{{
    .name = "close",
    .explain =
        "Closes the connection towards both sides with an end of stream (FIN), as a server that "
        "shuts down would; a side that continues to send gets a reset. By default it covers the "
        "connections that exist at that moment, once; later ones are not affected.",
    .parameters = AimParameters(),
    .make =
        [](const EffectSeed& seed) {
          return MakeAimedEffect(seed, [](const StageSeed& at, const Aim& aim) {
            return std::make_unique<LastStage>(at, aim, Ending::kClose,
                                               &Receipt::connections_closed);
          });
        },
}};

}  // namespace
}  // namespace watchproof::proxy
