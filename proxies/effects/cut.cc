// SPDX-License-Identifier: Apache-2.0
// Cut: the connection is gone from one moment to the next, with RST on both sides.
#include <memory>
#include <optional>
#include <utility>

#include "proxies/effects/effect.h"

namespace watchproof::proxy {
namespace {

// The cut on the spot: asked once by the pipe, which then resets the connection.
class CutNow final : public Stage {
 public:
  void Push(Chunk chunk, TimePoint) override { chunks_.push_back(std::move(chunk)); }
  std::optional<Chunk> Pull(TimePoint) override { return std::nullopt; }
  std::deque<Chunk> TakeAll(TimePoint) override { return std::exchange(chunks_, {}); }
  bool severs() const override { return true; }

 private:
  std::deque<Chunk> chunks_;
};

// The cut in the middle of the stream: the reset takes its place in line behind the last byte.
class CutAfter final : public Stage {
 public:
  CutAfter(ConnectionId connection, std::int64_t bytes, Tally& tally)
      : connection_(connection), left_(bytes), tally_(tally) {}

  void Push(Chunk chunk, TimePoint) override {
    if (shut()) return;  // nothing comes after a reset
    if (chunk.size() >= left_ && chunk.kind == Chunk::Kind::kBytes) {
      chunk.bytes.resize(static_cast<std::size_t>(left_));
      chunks_.push_back(std::move(chunk));
      chunks_.push_back(Chunk::Reset());
      left_ = 0;
      tally_.Cut(connection_);
      return;
    }
    left_ -= chunk.size();
    chunks_.push_back(std::move(chunk));
  }
  std::optional<Chunk> Pull(TimePoint) override {
    if (chunks_.empty()) return std::nullopt;
    Chunk chunk = std::move(chunks_.front());
    chunks_.pop_front();
    return chunk;
  }
  std::deque<Chunk> TakeAll(TimePoint) override { return std::exchange(chunks_, {}); }
  bool shut() const override { return left_ == 0; }

 private:
  const ConnectionId connection_;
  std::int64_t left_;
  Tally& tally_;
  std::deque<Chunk> chunks_;
};

class Cut final : public Effect {
 public:
  explicit Cut(const EffectSeed& seed)
      : Effect(seed.armed_at),
        future_(seed.values.yes("future")),
        after_bytes_(seed.values.bytes("after-bytes")) {}

  std::unique_ptr<Stage> MakeStage(const Placement& placement) override {
    if (placement.age == Placement::Age::kFuture && !future_) return nullptr;
    if (after_bytes_ > 0) {
      return std::make_unique<CutAfter>(placement.connection, after_bytes_, tally_);
    }
    tally_.Cut(placement.connection);
    return std::make_unique<CutNow>();
  }

 private:
  const bool future_;
  const std::int64_t after_bytes_;
};

const EffectRegistration kCut{{
    .name = "cut",
    .explain =
        "Resets the connection towards both sides, as a firewall or a dying host would: no end of "
        "stream, and whatever the kernel had not delivered yet is lost with it. By default it hits "
        "the connections that exist at that moment, once; those that come later are left alone.",
    .parameters = {{.name = "future",
                    .kind = ParameterKind::kYesNo,
                    .default_value = "no",
                    .explain =
                        "Whether connections that come later are cut as well, until healed."},
                   {.name = "after-bytes",
                    .kind = ParameterKind::kBytes,
                    .default_value = "0B",
                    .explain =
                        "Cut when this many further bytes have passed in the direction of the "
                        "effect (counted for each direction alone); 0B means at once."}},
    .make = [](const EffectSeed& seed) { return std::make_unique<Cut>(seed); },
}};

}  // namespace
}  // namespace watchproof::proxy
