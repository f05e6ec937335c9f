// SPDX-License-Identifier: Apache-2.0
// Half-close: the receiver of a direction gets an end of stream, while its peer is not aware of it
// and continues to send.
#include <memory>
#include <utility>

#include "proxies/effects/aimed_effect.h"

namespace watchproof::proxy {
namespace {

class EndAfter final : public AimedStage {
 public:
  EndAfter(ConnectionId connection, Aim aim, Tally& tally)
      : AimedStage(aim), connection_(connection), tally_(tally) {}

  std::int64_t TakeLost() override { return std::exchange(lost_, 0); }

 private:
  void HitNow() override {
    Join(Chunk::End());
    tally_.HalfClosed(connection_);
  }
  void HitInLine() override { HitNow(); }
  void Behind(Chunk chunk) override {
    if (chunk.kind == Chunk::Kind::kReset || chunk.kind == Chunk::Kind::kClose) {
      Join(std::move(chunk));  // the connection is over: now both sides must know
    } else if (chunk.kind == Chunk::Kind::kBytes) {
      tally_.Swallowed(connection_, chunk.size());
      lost_ += chunk.cost;
    }
  }

  const ConnectionId connection_;
  Tally& tally_;
  std::int64_t lost_ = 0;
};

class HalfClose final : public AimedEffect {
 public:
  explicit HalfClose(const EffectSeed& seed) : AimedEffect(seed) {}

 private:
  std::unique_ptr<Stage> Hit(ConnectionId connection) override {
    return std::make_unique<EndAfter>(connection, aim_, tally_);
  }
};

const EffectRegistration kHalfClose{{
    .name = "half-close",
    .explain =
        "Sends an end of stream (FIN) to the receiver of a direction while its peer gets no "
        "signal and continues to send; those bytes are swallowed. Armed on one direction it "
        "leaves the other one flowing. Healing cannot undo the end. By default it covers the "
        "connections that exist at that moment, once.",
    .parameters = AimParameters(
        {.future = "Whether connections that come later get it as well, until healed.",
         .after_bytes = "The end comes when this many further bytes have passed in the direction "
                        "of the effect; 0B without 'after' means at once, before whatever was "
                        "still waiting."}),
    .make = [](const EffectSeed& seed) { return std::make_unique<HalfClose>(seed); },
}};

}  // namespace
}  // namespace watchproof::proxy
