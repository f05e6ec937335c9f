// SPDX-License-Identifier: Apache-2.0
// Black hole: everything is read and nothing arrives. Unlike behind a stall the sender feels
// nothing at all, and what it said is gone for good.
#include <memory>
#include <optional>
#include <utility>

#include "proxies/effects/effect.h"
#include "proxies/effects/line.h"

namespace watchproof::proxy {
namespace {

class Hole final : public Line {
 public:
  Hole(ConnectionId connection, Tally& tally) : connection_(connection), tally_(tally) {}

  void Push(Chunk chunk, TimePoint) override {
    if (chunk.kind != Chunk::Kind::kBytes) {
      Join(std::move(chunk));  // the end or reset of the source, for when the hole closes
      return;
    }
    tally_.Swallowed(connection_, chunk.size());
    lost_ += chunk.cost;
  }
  std::optional<Chunk> Pull(TimePoint) override { return std::nullopt; }
  std::int64_t TakeLost() override { return std::exchange(lost_, 0); }

 private:
  const ConnectionId connection_;
  Tally& tally_;
  std::int64_t lost_ = 0;
};

class BlackHole final : public Effect {
 public:
  explicit BlackHole(const EffectSeed& seed) : Effect(seed.armed_at) {}

  std::unique_ptr<Stage> MakeStage(const Placement& placement) override {
    return std::make_unique<Hole>(placement.connection, tally_);
  }
};

const EffectRegistration kBlackHole{{
    .name = "black-hole",
    .explain =
        "Swallows the bytes of a direction without a sign: the sender gets rid of all of them, the "
        "receiver hears nothing, and the connection stays open. Arm it on one direction to let the "
        "other flow. The bytes are lost for good: once healed the stream goes on with a gap in it, "
        "which the protocol above takes for garbage. An end or a reset of the sender is withheld "
        "too and passed on when healed.",
    .parameters = {},
    .make = [](const EffectSeed& seed) { return std::make_unique<BlackHole>(seed); },
}};

}  // namespace
}  // namespace watchproof::proxy
