// SPDX-License-Identifier: Apache-2.0
// Refuse: connections are refused, as while a server restarts.
#include <memory>

#include "proxies/effects/effect.h"

namespace watchproof::proxy {
namespace {

class Refuse final : public Effect {
 public:
  using Effect::Effect;
  bool refuses() const override { return true; }
};

const EffectRegistration kRefuse{{
    .name = "refuse",
    .explain =
        "Connections are refused by the kernel, as when no server listens, until healed; "
        "existing ones are not affected. The port stays reserved. The kernel does not report "
        "how many were refused, so the receipt counts nothing: use the clients' errors.",
    .parameters = {},
    .make = [](const EffectSeed& seed) { return std::make_unique<Refuse>(seed); },
}};

}  // namespace
}  // namespace watchproof::proxy
