// SPDX-License-Identifier: Apache-2.0
// Close: the connection ends with FIN, as if the other side had closed it.
#include "proxies/effects/aimed_effect.h"

namespace watchproof::proxy {

const EffectRegistration kClose{{
    .name = "close",
    .explain =
        "Closes the connection towards both sides with an end of stream (FIN), as a server that "
        "shuts down would; a side that continues to send gets a reset. By default it covers the "
        "connections that exist at that moment, once; later ones are not affected.",
    .parameters = AimParameters(),
    .make = AimedEffectOf<LastStage<Ending::kClose, &Receipt::connections_closed>>,
}};

}  // namespace watchproof::proxy
