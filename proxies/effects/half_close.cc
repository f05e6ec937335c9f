// SPDX-License-Identifier: Apache-2.0
// Half-close: the receiver of a direction is told that its peer has nothing more to say, although
// the peer knows nothing of it and goes on talking.
#include <memory>
#include <utility>

#include "proxies/effects/aimed_effect.h"
#include "proxies/effects/line.h"

namespace watchproof::proxy {
namespace {

class EndAfter final : public Line {
 public:
  EndAfter(ConnectionId connection, std::int64_t bytes, Tally& tally)
      : connection_(connection), left_(bytes), tally_(tally) {
    if (left_ == 0) EndHere();
  }

  void Push(Chunk chunk, TimePoint) override {
    if (!made_up_) {
      PushBefore(std::move(chunk));
    } else if (chunk.kind == Chunk::Kind::kReset) {
      Join(std::move(chunk));  // the real peer is gone: now both sides must know
    } else if (chunk.kind == Chunk::Kind::kBytes) {
      Swallow(chunk.size(), chunk.cost);
    }
  }
  std::int64_t TakeLost() override { return std::exchange(lost_, 0); }

 private:
  void PushBefore(Chunk chunk) {
    if (chunk.size() < left_ || chunk.kind != Chunk::Kind::kBytes) {
      left_ -= chunk.size();
      Join(std::move(chunk));
      return;
    }
    const std::int64_t beyond = chunk.size() - left_;
    chunk.bytes.resize(static_cast<std::size_t>(left_));
    Join(std::move(chunk));  // its cost is given back when the rest of it is written
    EndHere();
    if (beyond > 0) Swallow(beyond, 0);
  }
  void EndHere() {
    made_up_ = true;
    Join(Chunk::End());
    tally_.HalfClosed(connection_);
  }
  void Swallow(std::int64_t bytes, std::int64_t cost) {
    tally_.Swallowed(connection_, bytes);
    lost_ += cost;
  }

  const ConnectionId connection_;
  std::int64_t left_;
  Tally& tally_;
  bool made_up_ = false;  // the end is in line, or already on its way
  std::int64_t lost_ = 0;
};

class HalfClose final : public AimedEffect {
 public:
  explicit HalfClose(const EffectSeed& seed) : AimedEffect(seed) {}

 private:
  std::unique_ptr<Stage> Hit(ConnectionId connection) override {
    return std::make_unique<EndAfter>(connection, after_bytes_, tally_);
  }
};

const EffectRegistration kHalfClose{{
    .name = "half-close",
    .explain =
        "Sends an end of stream (FIN) to the receiver of a direction while its peer, which knows "
        "nothing of it, goes on sending; those bytes are swallowed. Armed on one direction it "
        "leaves the other one flowing. Healing cannot take the end back. By default it hits the "
        "connections that exist at that moment, once.",
    .parameters = AimParameters(
        {.future = "Whether connections that come later get it as well, until healed.",
         .after_bytes = "The end comes when this many further bytes have passed in the direction "
                        "of the effect; 0B means at once, before whatever was still waiting."}),
    .make = [](const EffectSeed& seed) { return std::make_unique<HalfClose>(seed); },
}};

}  // namespace
}  // namespace watchproof::proxy
