// SPDX-License-Identifier: Apache-2.0
// Latency: a delay line. A sleep per chunk would be a bandwidth limit; here many chunks are under
// way at once, as on a long cable.
#include <algorithm>
#include <cmath>
#include <optional>
#include <utility>

#include "proxies/effects/effect.h"

namespace watchproof::proxy {
namespace {

// What may be under way in one direction of one connection; beyond it the sender waits. With 100 ms
// of delay this still lets 80 MiB through per second.
constexpr std::int64_t kLineBytes = 8 << 20;

// A standard normal number, near enough: the sum of twelve uniform ones, which is the same on every
// machine.
double Normal(Prng& prng) {
  double sum = -6;
  for (int i = 0; i < 12; ++i) sum += static_cast<double>(prng.Next() >> 11) * 0x1p-53;
  return sum;
}

class DelayLine final : public Stage {
 public:
  explicit DelayLine(const StageSeed& seed)
      : delay_(seed.values.duration("delay")),
        jitter_(seed.values.duration("jitter")),
        uniform_(seed.values.word("spread") == 0),
        prng_(seed.prng),
        tally_(seed.tally) {}

  void Push(Chunk chunk, TimePoint now) override {
    const Duration drawn = delay_ + Draw();
    // A chunk never overtakes the one before it, however short its own delay came out.
    last_due_ = std::max(last_due_, now + std::max(drawn, Duration::zero()));
    line_.push_back({.chunk = std::move(chunk), .entered = now, .due = last_due_});
  }
  std::optional<Chunk> Pull(TimePoint now) override {
    if (line_.empty() || line_.front().due > now) return std::nullopt;
    return TakeFirst(now);
  }
  std::deque<Chunk> TakeAll(TimePoint now) override {
    std::deque<Chunk> all;
    while (!line_.empty()) all.push_back(TakeFirst(now));
    return all;
  }
  TimePoint wake_at() const override { return line_.empty() ? kNever : line_.front().due; }
  std::int64_t read_ahead() const override { return kLineBytes; }

 private:
  struct Travelling {
    Chunk chunk;
    TimePoint entered;
    TimePoint due;
  };

  Duration Draw() {
    if (uniform_) return prng_.Between(-jitter_, jitter_);
    return Duration(std::llround(Normal(prng_) * static_cast<double>(jitter_.count())));
  }
  Chunk TakeFirst(TimePoint now) {
    Travelling first = std::move(line_.front());
    line_.pop_front();
    // Time beyond `due` was spent waiting for the sink, which is not this effect's doing.
    const Duration hold = std::min(first.due, now) - first.entered;
    if (hold > Duration::zero()) {
      tally_.Add(&Receipt::bytes_delayed, first.chunk.size());
      tally_.HeldFor(hold);
    }
    return std::move(first.chunk);
  }

  const Duration delay_;
  const Duration jitter_;
  const bool uniform_;
  Prng prng_;
  ConnectionTally tally_;
  std::deque<Travelling> line_;
  TimePoint last_due_{};
};

const EffectRegistration kLatency{{
    .name = "latency",
    .explain =
        "Delays without limiting the rate: every chunk leaves the proxy a fixed time after it "
        "arrived, plus or minus a jitter that is drawn from the seed. The order is kept, and up "
        "to 8 MiB are under way at once in each direction of a connection.",
    .parameters = {{"delay", ParameterKind::kDuration, "20ms", "How long each chunk is under way."},
                   {"jitter", ParameterKind::kDuration, "0s",
                    "How much each delay varies to both sides, see 'spread'."},
                   {.name = "spread",
                    .kind = ParameterKind::kWord,
                    .default_value = "uniform",
                    .explain = "How delays vary: 'uniform' by up to the jitter, evenly; 'normal' "
                               "with the jitter as standard deviation.",
                    .words = {"uniform", "normal"}}},
    .make = PipeEffectOf<DelayLine>,
}};

}  // namespace
}  // namespace watchproof::proxy
