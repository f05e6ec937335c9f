// SPDX-License-Identifier: Apache-2.0
// Half-close: the receiver of a direction gets an end of stream, while its peer is not aware of it
// and continues to send.
#include <utility>

#include "proxies/effects/aimed_effect.h"

namespace watchproof::proxy {
namespace {

class EndAfter final : public AimedStage {
 public:
  explicit EndAfter(const StageSeed& seed) : AimedStage(seed), tally_(seed.tally) {}

  std::int64_t TakeLost() override { return std::exchange(lost_, 0); }

 private:
  void HitNow() override {
    Join(Chunk::End());
    tally_.AddOnce(&Receipt::connections_half_closed);
  }
  void HitInLine() override { HitNow(); }
  void Behind(Chunk chunk) override {
    if (chunk.kind == Chunk::Kind::kReset || chunk.kind == Chunk::Kind::kClose) {
      Join(std::move(chunk));  // the connection is over: now both sides must know
    } else if (chunk.kind == Chunk::Kind::kBytes) {
      tally_.Add(&Receipt::bytes_swallowed, chunk.size());
      lost_ += chunk.cost;
    }
  }

  ConnectionTally tally_;
  std::int64_t lost_ = 0;
};

const EffectRegistration kHalfClose{{
    .name = "half-close",
    .explain =
        "Sends an end of stream (FIN) to the receiver of a direction while its peer gets no "
        "signal and continues to send; those bytes are swallowed. Armed on one direction it "
        "leaves the other one flowing. Healing cannot undo the end. By default it covers the "
        "connections that exist at that moment, once.",
    .parameters = AimParameters(),
    .make = AimedEffectOf<EndAfter>,
}};

}  // namespace
}  // namespace watchproof::proxy
