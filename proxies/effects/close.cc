// SPDX-License-Identifier: Apache-2.0
// Close: the connection ends with FIN, as if the other side had closed it.
#include <memory>

#include "proxies/effects/aimed_effect.h"

namespace watchproof::proxy {
namespace {

class Close final : public AimedEffect {
 public:
  explicit Close(const EffectSeed& seed) : AimedEffect(seed) {}

 private:
  std::unique_ptr<Stage> Hit(ConnectionId connection) override {
    return std::make_unique<LastStage>(aim_, Ending::kClose,
                                       [this, connection] { tally_.Closed(connection); });
  }
};

const EffectRegistration kClose{{
    .name = "close",
    .explain =
        "Closes the connection towards both sides with an end of stream (FIN), as a server that "
        "shuts down would; a side that continues to send gets a reset. By default it covers the "
        "connections that exist at that moment, once; later ones are not affected.",
    .parameters = AimParameters(
        {.future = "Whether connections that come later are closed as well, until healed.",
         .after_bytes = "Close when this many further bytes have passed in the direction of the "
                        "effect (counted for each direction alone); 0B without 'after' means at "
                        "once."}),
    .make = [](const EffectSeed& seed) { return std::make_unique<Close>(seed); },
}};

}  // namespace
}  // namespace watchproof::proxy
