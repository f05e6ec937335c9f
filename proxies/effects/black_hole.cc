// SPDX-License-Identifier: Apache-2.0
// Black hole: everything is read and nothing arrives. Unlike behind a stall the sender is not
// slowed down, and the bytes are lost for good.
#include <deque>
#include <optional>
#include <utility>

#include "proxies/effects/effect.h"

namespace watchproof::proxy {
namespace {

class Hole final : public Line {
 public:
  explicit Hole(const StageSeed& seed)
      : close_(seed.values.yes("close")),
        close_after_(seed.values.duration("close-after")),
        tally_(seed.tally) {}

  void Observe(TimePoint now, std::int64_t /*unread*/) override {
    if (!due_) due_ = close_after_ == Duration::zero() ? kNever : now + close_after_;
    if (over_ || *due_ > now) return;
    over_ = true;
    tally_.AddOnce(&Receipt::connections_closed);
  }
  void Push(Chunk chunk, TimePoint) override {
    if (chunk.kind != Chunk::Kind::kBytes) {
      Join(std::move(chunk));  // the end or reset of the source, for when the hole closes
      return;
    }
    tally_.Add(&Receipt::bytes_swallowed, chunk.size());
    lost_ += chunk.cost;
    torn_ = true;
  }
  std::optional<Chunk> Pull(TimePoint) override { return std::nullopt; }
  std::deque<Chunk> TakeAll(TimePoint now) override {
    if (!close_ || !torn_ || over_) return Line::TakeAll(now);
    tally_.AddOnce(&Receipt::connections_closed);
    std::deque<Chunk> last;
    last.push_back(Chunk::Close());
    return last;
  }
  TimePoint wake_at() const override { return over_ ? kNever : due_.value_or(kNever); }
  Ending ending() const override { return over_ ? Ending::kClose : Ending::kNone; }
  std::int64_t TakeLost() override { return std::exchange(lost_, 0); }

 private:
  const bool close_;            // when healed, if anything was swallowed
  const Duration close_after_;  // by itself; 0: never
  ConnectionTally tally_;
  std::int64_t lost_ = 0;
  bool torn_ = false;
  bool over_ = false;
  std::optional<TimePoint> due_;
};

const EffectRegistration kBlackHole{{
    .name = "black-hole",
    .explain =
        "Swallows the bytes of a direction without a signal: the sender can send all of them, "
        "the receiver gets nothing, and the connection stays open. Arm it on one direction to "
        "let the other flow. The bytes are lost for good: once healed the stream continues with "
        "a gap in it, which the protocol above takes for garbage. An end or a reset of the "
        "sender is withheld too and passed on when healed.",
    .parameters = {{"close", ParameterKind::kYesNo, "no",
                    "Whether connections that lost bytes are closed when healed."},
                   {"close-after", ParameterKind::kDuration, "0s",
                    "A connection is closed so long after it fell into the hole; 0s "
                    "means never."}},
    .make = PipeEffectOf<Hole>,
}};

}  // namespace
}  // namespace watchproof::proxy
