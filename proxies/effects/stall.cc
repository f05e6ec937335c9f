// SPDX-License-Identifier: Apache-2.0
// Stall: a gate, not a sleep per chunk. While it is shut the proxy stops reading, so that the
// sender's window closes as it would behind a peer that stopped reading.
#include <algorithm>
#include <memory>
#include <optional>
#include <utility>

#include "proxies/effects/effect.h"

namespace watchproof::proxy {
namespace {

class StallStage final : public Line {
 public:
  StallStage(const StageSeed& seed, TimePoint opens_at) : opens_at_(opens_at), tally_(seed.tally) {}

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
    if (waiting > peak_)
      tally_.Add(&Receipt::bytes_withheld, waiting - std::exchange(peak_, waiting));
    tally_.HeldFor(std::min(now, opens_at_) - *waiting_since_);
  }

  const TimePoint opens_at_;
  ConnectionTally tally_;
  std::int64_t held_ = 0;
  std::int64_t peak_ = 0;
  std::optional<TimePoint> waiting_since_;
  bool open_ = false;
};

const EffectRegistration kStall{{
    .name = "stall",
    .explain = "Holds everything back while the connection stays open, then passes it on in order. "
               "While it lasts the proxy reads nothing either, so the sender's buffers fill and it "
               "blocks, as with a peer that stopped reading. Ends and resets of the connection are "
               "held back like bytes.",
    .parameters = {{"duration", ParameterKind::kDuration, "0s",
                    "Opens by itself this long after arming; 0s means only when healed."}},
    .make =
        [](const EffectSeed& seed) {
          const Duration duration = seed.values.duration("duration");
          const TimePoint opens_at =
              duration == Duration::zero() ? kNever : seed.armed_at + duration;
          return MakePipeEffect(seed,
                                [opens_at](const StageSeed& at) {
                                  return std::make_unique<StallStage>(at, opens_at);
                                },
                                {.ends_at = opens_at});
        },
}};

}  // namespace
}  // namespace watchproof::proxy
