// SPDX-License-Identifier: Apache-2.0
// Late end: the end of a stream arrives, but not for a while.
#include <algorithm>
#include <deque>
#include <optional>
#include <utility>

#include "proxies/effects/effect.h"

namespace watchproof::proxy {
namespace {

class EndHeld final : public Line {
 public:
  explicit EndHeld(const StageSeed& seed)
      : delay_(seed.values.duration("delay")), tally_(seed.tally) {}

  void Push(Chunk chunk, TimePoint now) override {
    if (chunk.kind == Chunk::Kind::kEnd) {
      came_ = now;
      end_ = std::move(chunk);
    } else {
      Join(std::move(chunk));  // a reset of the source, if anything, comes behind its end
    }
  }
  std::optional<Chunk> Pull(TimePoint now) override {
    if (auto chunk = Line::Pull(now)) return chunk;
    if (!end_ || now < came_ + delay_) return std::nullopt;
    return TakeEnd(now);
  }
  std::deque<Chunk> TakeAll(TimePoint now) override {
    std::deque<Chunk> all = Line::TakeAll(now);
    if (end_) all.push_back(TakeEnd(now));
    return all;
  }
  TimePoint wake_at() const override { return end_ ? came_ + delay_ : kNever; }

 private:
  Chunk TakeEnd(TimePoint now) {
    tally_.HeldFor(std::min(Duration(now - came_), delay_));
    tally_.Touched();
    return *std::exchange(end_, std::nullopt);
  }

  const Duration delay_;
  ConnectionTally tally_;
  TimePoint came_{};
  std::optional<Chunk> end_;
};

const EffectRegistration kLateEnd{{
    .name = "late-end",
    .explain =
        "Bytes pass without delay, but the end of a stream (FIN) is held back for a while: the "
        "receiver continues to wait for a peer that has closed its side. A reset passes at "
        "once.",
    .parameters = {{"delay", ParameterKind::kDuration, "1s", "How long the end is held back."}},
    .make = PipeEffectOf<EndHeld>,
}};

}  // namespace
}  // namespace watchproof::proxy
