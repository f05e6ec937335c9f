// SPDX-License-Identifier: Apache-2.0
// Slice: the same bytes in smaller pieces, each handed to the kernel by itself.
#include <algorithm>
#include <optional>

#include "proxies/effects/effect.h"

namespace watchproof::proxy {
namespace {

class Slicer final : public Line {
 public:
  explicit Slicer(const StageSeed& seed)
      : size_(seed.values.bytes("size")),
        variation_(seed.values.bytes("variation")),
        delay_(seed.values.duration("delay")),
        prng_(seed.prng),
        tally_(seed.tally) {}

  std::optional<Chunk> Pull(TimePoint now) override {
    if (idle() || first()->kind != Chunk::Kind::kBytes) return Line::Pull(now);
    if (now < next_at_) return std::nullopt;
    next_at_ = now + delay_;
    Chunk& whole = *first();
    const std::int64_t drawn = size_ + prng_.Between(-variation_, variation_);
    const std::int64_t size = std::clamp<std::int64_t>(drawn, 1, whole.size());
    if (size == whole.size()) return Line::Pull(now);
    tally_.Add(&Receipt::bytes_sliced, size);
    // A chunk counts as read until its last piece has been written.
    Chunk piece{.bytes = whole.bytes.substr(0, static_cast<std::size_t>(size))};
    whole.bytes.erase(0, static_cast<std::size_t>(size));
    return piece;
  }
  TimePoint wake_at() const override { return idle() ? kNever : next_at_; }

 private:
  const std::int64_t size_;
  const std::int64_t variation_;
  const Duration delay_;  // between two pieces
  Prng prng_;
  ConnectionTally tally_;
  TimePoint next_at_{};
};

const EffectRegistration kSlice{{
    .name = "slice",
    .explain =
        "Cuts the bytes into smaller pieces, each of which is passed to the kernel separately, "
        "so that a reader receives messages cut in the middle. No byte is lost or changed.",
    .parameters = {{"size", ParameterKind::kBytes, "64B", "How large a piece is, at least 1B.", 1},
                   {"variation", ParameterKind::kBytes, "0B",
                    "Each size varies by up to this much to both sides, evenly; no "
                    "piece is empty."},
                   {"delay", ParameterKind::kDuration, "0s",
                    "How long the next piece waits after one has left."}},
    .make = PipeEffectOf<Slicer>,
}};

}  // namespace
}  // namespace watchproof::proxy
