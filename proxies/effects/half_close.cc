// SPDX-License-Identifier: Apache-2.0
// Half-close: the receiver of a direction is told that its peer has nothing more to say, although
// the peer knows nothing of it and goes on talking.
#include <memory>
#include <optional>
#include <utility>

#include "proxies/effects/effect.h"

namespace watchproof::proxy {
namespace {

class EndAfter final : public Stage {
 public:
  EndAfter(ConnectionId connection, std::int64_t bytes, Tally& tally)
      : connection_(connection), left_(bytes), tally_(tally) {
    if (left_ == 0) EndHere();
  }

  void Push(Chunk chunk, TimePoint) override {
    if (!made_up_) {
      PushBefore(std::move(chunk));
    } else if (chunk.kind == Chunk::Kind::kReset) {
      chunks_.push_back(std::move(chunk));  // the real peer is gone: now both sides must know
    } else if (chunk.kind == Chunk::Kind::kBytes) {
      Swallow(chunk.size(), chunk.cost);
    }
  }
  std::optional<Chunk> Pull(TimePoint) override {
    if (chunks_.empty()) return std::nullopt;
    Chunk chunk = std::move(chunks_.front());
    chunks_.pop_front();
    return chunk;
  }
  std::deque<Chunk> TakeAll(TimePoint) override { return std::exchange(chunks_, {}); }
  std::int64_t TakeLost() override { return std::exchange(lost_, 0); }

 private:
  void PushBefore(Chunk chunk) {
    if (chunk.size() < left_ || chunk.kind != Chunk::Kind::kBytes) {
      left_ -= chunk.size();
      chunks_.push_back(std::move(chunk));
      return;
    }
    const std::int64_t beyond = chunk.size() - left_;
    chunk.bytes.resize(static_cast<std::size_t>(left_));
    chunks_.push_back(std::move(chunk));  // its cost is given back when the rest of it is written
    EndHere();
    if (beyond > 0) Swallow(beyond, 0);
  }
  void EndHere() {
    made_up_ = true;
    chunks_.push_back(Chunk::End());
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
  std::deque<Chunk> chunks_;
};

class HalfClose final : public Effect {
 public:
  explicit HalfClose(const EffectSeed& seed)
      : Effect(seed.armed_at),
        future_(seed.values.yes("future")),
        after_bytes_(seed.values.bytes("after-bytes")) {}

  std::unique_ptr<Stage> MakeStage(const Placement& placement) override {
    if (placement.age == Placement::Age::kFuture && !future_) return nullptr;
    return std::make_unique<EndAfter>(placement.connection, after_bytes_, tally_);
  }

 private:
  const bool future_;
  const std::int64_t after_bytes_;
};

const EffectRegistration kHalfClose{{
    .name = "half-close",
    .explain =
        "Sends an end of stream (FIN) to the receiver of a direction while its peer, which knows "
        "nothing of it, goes on sending; those bytes are swallowed. Armed on one direction it "
        "leaves the other one flowing. Healing cannot take the end back. By default it hits the "
        "connections that exist at that moment, once.",
    .parameters = {{.name = "future",
                    .kind = ParameterKind::kYesNo,
                    .default_value = "no",
                    .explain = "Whether connections that come later get it as well, until healed."},
                   {.name = "after-bytes",
                    .kind = ParameterKind::kBytes,
                    .default_value = "0B",
                    .explain =
                        "The end comes when this many further bytes have passed in the direction "
                        "of the effect; 0B means at once, before whatever was still waiting."}},
    .make = [](const EffectSeed& seed) { return std::make_unique<HalfClose>(seed); },
}};

}  // namespace
}  // namespace watchproof::proxy
