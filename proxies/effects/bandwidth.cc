// SPDX-License-Identifier: Apache-2.0
// Bandwidth: a token bucket in units of time. Every byte that leaves costs its share of a second,
// and the next one waits until that has passed. The sender is slowed down too, because nothing is
// read ahead on this effect's behalf.
#include <algorithm>
#include <optional>
#include <utility>

#include "proxies/effects/effect.h"

namespace watchproof::proxy {
namespace {

// Bytes leave in slices of this much time, so that a low rate is smooth; a writer that wakes up
// late may catch up by as much, so that the rate holds on a busy machine.
constexpr Duration kTick = 10ms;
constexpr std::int64_t kSlicesPerSecond = 1s / kTick;

class Bucket final : public Stage {
 public:
  explicit Bucket(const StageSeed& seed) : rate_(seed.values.bytes("rate")), tally_(seed.tally) {}

  void Push(Chunk chunk, TimePoint now) override {
    waiting_.push_back({.chunk = std::move(chunk), .entered = now});
  }
  std::optional<Chunk> Pull(TimePoint now) override {
    if (waiting_.empty()) return std::nullopt;
    if (waiting_.front().chunk.kind != Chunk::Kind::kBytes) return TakeFirst();
    if (now < free_at_) return std::nullopt;
    Chunk slice = NextSlice(now);
    free_at_ = std::max(free_at_, now - kTick) + CostOf(slice.size());
    return slice;
  }
  std::deque<Chunk> TakeAll(TimePoint now) override {
    std::deque<Chunk> all;
    while (!waiting_.empty()) {
      Note(waiting_.front(), waiting_.front().chunk.size(), now);
      all.push_back(TakeFirst());
    }
    return all;
  }
  TimePoint wake_at() const override { return waiting_.empty() ? kNever : free_at_; }

 private:
  struct Waiting {
    Chunk chunk;
    TimePoint entered;
  };

  Duration CostOf(std::int64_t bytes) const {
    // Rounded up, so that roundings never add up to more than the rate.
    return Duration((bytes * Duration(1s).count() + rate_ - 1) / rate_);
  }
  Chunk TakeFirst() {
    Chunk chunk = std::move(waiting_.front().chunk);
    waiting_.pop_front();
    return chunk;
  }
  // Up to one slice from the front. A chunk counts as read until its last slice has been written.
  Chunk NextSlice(TimePoint now) {
    Waiting& first = waiting_.front();
    const std::int64_t size =
        std::min(first.chunk.size(), std::max<std::int64_t>(1, rate_ / kSlicesPerSecond));
    Note(first, size, now);
    if (size == first.chunk.size()) return TakeFirst();
    Chunk slice{.bytes = first.chunk.bytes.substr(0, static_cast<std::size_t>(size))};
    first.chunk.bytes.erase(0, static_cast<std::size_t>(size));
    return slice;
  }
  void Note(const Waiting& first, std::int64_t bytes, TimePoint now) {
    // Time beyond free_at_ was spent waiting for the sink, which is not this effect's doing.
    const Duration hold = std::min(free_at_, now) - first.entered;
    if (bytes == 0 || hold <= Duration::zero()) return;
    tally_.Add(&Receipt::bytes_throttled, bytes);
    tally_.HeldFor(hold);
  }

  const std::int64_t rate_;  // bytes per second
  ConnectionTally tally_;
  std::deque<Waiting> waiting_;
  TimePoint free_at_{};  // when everything that left is paid for
};

const EffectRegistration kBandwidth{{
    .name = "bandwidth",
    .explain =
        "Limits the rate: no more than so many bytes per second leave the proxy, for each "
        "direction of each connection alone. They leave in the order in which they came, a "
        "hundredth of a second's worth at a time, and the sender is slowed down because nothing "
        "more is read while something waits.",
    .parameters = {{"rate", ParameterKind::kBytes, "1MiB", "Bytes per second, at least 1B.", 1}},
    .make = PipeEffectOf<Bucket>,
}};

}  // namespace
}  // namespace watchproof::proxy
