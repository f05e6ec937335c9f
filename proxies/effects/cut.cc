// SPDX-License-Identifier: Apache-2.0
// Cut: the connection is gone from one moment to the next, with RST on both sides.
#include <memory>

#include "proxies/effects/aimed_effect.h"

namespace watchproof::proxy {
namespace {

class Cut final : public AimedEffect {
 public:
  explicit Cut(const EffectSeed& seed) : AimedEffect(seed) {}

 private:
  std::unique_ptr<Stage> Hit(ConnectionId connection) override {
    return std::make_unique<LastStage>(aim_, Ending::kReset,
                                       [this, connection] { tally_.Cut(connection); });
  }
};

const EffectRegistration kCut{{
    .name = "cut",
    .explain =
        "Resets the connection towards both sides, as a firewall or a dying host would: no end "
        "of stream, and everything that the kernel had not delivered yet is lost with it. By "
        "default it covers the connections that exist at that moment, once; later ones are not "
        "affected.",
    .parameters = AimParameters(
        {.future = "Whether connections that come later are cut as well, until healed.",
         .after_bytes = "Cut when this many further bytes have passed in the direction of the "
                        "effect (counted for each direction alone); 0B without 'after' means at "
                        "once."}),
    .make = [](const EffectSeed& seed) { return std::make_unique<Cut>(seed); },
}};

}  // namespace
}  // namespace watchproof::proxy
