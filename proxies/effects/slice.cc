// SPDX-License-Identifier: Apache-2.0
// Slice: the same bytes in smaller pieces, each handed to the kernel by itself.
#include <fmt/format.h>

#include <algorithm>
#include <deque>
#include <memory>
#include <optional>
#include <utility>

#include "proxies/effects/effect.h"

namespace watchproof::proxy {
namespace {

struct Cut {
  std::int64_t size;
  std::int64_t variation;
  Duration delay;  // between two pieces
};

class Slicer final : public Stage {
 public:
  Slicer(const StageSeed& seed, Cut cut) : cut_(cut), prng_(seed.prng), tally_(seed.tally) {}

  void Push(Chunk chunk, TimePoint) override { waiting_.push_back(std::move(chunk)); }
  std::optional<Chunk> Pull(TimePoint now) override {
    if (waiting_.empty()) return std::nullopt;
    if (waiting_.front().kind != Chunk::Kind::kBytes) return TakeFirst();
    if (now < next_at_) return std::nullopt;
    next_at_ = now + cut_.delay;
    return NextPiece();
  }
  std::deque<Chunk> TakeAll(TimePoint) override { return std::exchange(waiting_, {}); }
  TimePoint wake_at() const override { return waiting_.empty() ? kNever : next_at_; }

 private:
  Chunk TakeFirst() {
    Chunk chunk = std::move(waiting_.front());
    waiting_.pop_front();
    return chunk;
  }
  // A chunk counts as read until its last piece has been written.
  Chunk NextPiece() {
    Chunk& first = waiting_.front();
    const std::int64_t drawn = cut_.size + prng_.Between(-cut_.variation, cut_.variation);
    const std::int64_t size = std::clamp<std::int64_t>(drawn, 1, first.size());
    if (size == first.size()) return TakeFirst();
    tally_.Add(&Receipt::bytes_sliced, size);
    Chunk piece{.bytes = first.bytes.substr(0, static_cast<std::size_t>(size))};
    first.bytes.erase(0, static_cast<std::size_t>(size));
    return piece;
  }

  const Cut cut_;
  Prng prng_;
  ConnectionTally tally_;
  std::deque<Chunk> waiting_;
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
    .make =
        [](const EffectSeed& seed) {
          const Cut cut{.size = seed.values.bytes("size"),
                        .variation = seed.values.bytes("variation"),
                        .delay = seed.values.duration("delay")};
          return MakePipeEffect(
              seed, [cut](const StageSeed& at) { return std::make_unique<Slicer>(at, cut); });
        },
}};

}  // namespace
}  // namespace watchproof::proxy
