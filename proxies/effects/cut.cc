// SPDX-License-Identifier: Apache-2.0
// Cut: the connection is gone from one moment to the next, with RST on both sides.
#include "proxies/effects/aimed_effect.h"

namespace watchproof::proxy {

const EffectRegistration kCut{{
    .name = "cut",
    .explain =
        "Resets the connection towards both sides, as a firewall or a dying host would: no end "
        "of stream, and everything that the kernel had not delivered yet is lost with it. By "
        "default it covers the connections that exist at that moment, once; later ones are not "
        "affected.",
    .parameters = AimParameters(),
    .make = AimedEffectOf<LastStage<Ending::kReset, &Receipt::connections_cut>>,
}};

}  // namespace watchproof::proxy
