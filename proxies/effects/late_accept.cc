// SPDX-License-Identifier: Apache-2.0
// Late accept: a client is connected, and for a while nobody serves it.
#include <memory>

#include "proxies/effects/effect.h"

namespace watchproof::proxy {
namespace {

class LateAccept final : public Effect {
 public:
  explicit LateAccept(const EffectSeed& seed)
      : Effect(seed.armed_at), delay_(seed.values.duration("delay")) {}

  std::unique_ptr<Stage> MakeStage(const Placement&) override { return nullptr; }
  Duration HoldBeforeDialling(ConnectionId connection) override {
    tally_.Held(connection, delay_);
    return delay_;
  }

 private:
  const Duration delay_;
};

const EffectRegistration kLateAccept{{
    .name = "late-accept",
    .explain =
        "New connections are taken late: the kernel has accepted the client, what it sends is "
        "kept, and the target hears of it only after the delay, as from a server too busy to call "
        "accept. Connections that exist are left alone; healing serves those that wait.",
    .parameters = {{.name = "delay",
                    .kind = ParameterKind::kDuration,
                    .default_value = "1s",
                    .explain = "How long each new connection waits."}},
    .make = [](const EffectSeed& seed) { return std::make_unique<LateAccept>(seed); },
}};

}  // namespace
}  // namespace watchproof::proxy
