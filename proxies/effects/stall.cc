// SPDX-License-Identifier: Apache-2.0
// Stall: a gate, not a sleep per chunk. While it is shut the proxy stops reading, so that the
// sender's window closes as it would behind a peer that stopped reading.
#include <algorithm>
#include <memory>
#include <optional>
#include <utility>

#include "proxies/effects/effect.h"
#include "proxies/effects/line.h"

namespace watchproof::proxy {
namespace {

class StallStage final : public Line {
 public:
  StallStage(ConnectionId connection, TimePoint opens_at, Tally& tally)
      : connection_(connection), opens_at_(opens_at), tally_(tally) {}

  void Observe(TimePoint now, std::int64_t unread) override {
    if (open_) return;
    NoteHeld(now, unread);
    if (now < opens_at_) return;
    open_ = true;
  }
  void Push(Chunk chunk, TimePoint now) override {
    held_ += chunk.size();
    Join(std::move(chunk));
    if (!open_) NoteHeld(now, 0);
  }
  std::optional<Chunk> Pull(TimePoint now) override {
    if (!open_) return std::nullopt;
    std::optional<Chunk> chunk = Line::Pull(now);
    if (chunk) held_ -= chunk->size();
    return chunk;
  }
  std::deque<Chunk> TakeAll(TimePoint now) override {
    open_ = true;
    return Line::TakeAll(now);
  }
  TimePoint wake_at() const override { return open_ ? kNever : opens_at_; }
  bool shut() const override { return !open_; }

 private:
  // While the gate is shut the amount only grows, so the last look before it opens is the peak.
  void NoteHeld(TimePoint now, std::int64_t unread) {
    const std::int64_t waiting = held_ + unread;
    if (waiting == 0) return;
    if (!waiting_since_) waiting_since_ = now;
    if (waiting > peak_) tally_.Withheld(connection_, waiting - std::exchange(peak_, waiting));
    tally_.HeldFor(std::min(now, opens_at_) - *waiting_since_);
  }

  const ConnectionId connection_;
  const TimePoint opens_at_;
  Tally& tally_;
  std::int64_t held_ = 0;
  std::int64_t peak_ = 0;
  std::optional<TimePoint> waiting_since_;
  bool open_ = false;
};

class Stall final : public Effect {
 public:
  explicit Stall(const EffectSeed& seed)
      : Effect(seed.armed_at),
        opens_at_(OpensAt(seed.armed_at, seed.values.duration("duration"))) {}

  std::unique_ptr<Stage> MakeStage(const Placement& placement) override {
    return std::make_unique<StallStage>(placement.connection, opens_at_, tally_);
  }
  TimePoint ends_at() const override { return opens_at_; }

 private:
  static TimePoint OpensAt(TimePoint armed_at, Duration duration) {
    return duration == Duration::zero() ? kNever : armed_at + duration;
  }

  const TimePoint opens_at_;
};

const EffectRegistration kStall{{
    .name = "stall",
    .explain = "Holds everything back while the connection stays open, then passes it on in order. "
               "While it lasts the proxy reads nothing either, so the sender's buffers fill and it "
               "blocks, as with a peer that stopped reading. Ends and resets of the connection are "
               "held back like bytes.",
    .parameters = {{.name = "duration",
                    .kind = ParameterKind::kDuration,
                    .default_value = "0s",
                    .explain =
                        "Opens by itself this long after arming; 0s means only when healed."}},
    .make = [](const EffectSeed& seed) { return std::make_unique<Stall>(seed); },
}};

}  // namespace
}  // namespace watchproof::proxy
