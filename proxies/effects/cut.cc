// SPDX-License-Identifier: Apache-2.0
// Cut: the connection is gone from one moment to the next, with RST on both sides.
#include <memory>
#include <optional>
#include <utility>

#include "proxies/effects/aimed_effect.h"
#include "proxies/effects/line.h"

namespace watchproof::proxy {
namespace {

// The cut on the spot: asked once by the pipe, which then resets the connection.
class CutNow final : public Line {
 public:
  void Push(Chunk chunk, TimePoint) override { Join(std::move(chunk)); }
  std::optional<Chunk> Pull(TimePoint) override { return std::nullopt; }
  bool severs() const override { return true; }
};

// The cut in the middle of the stream: the reset takes its place in line behind the last byte.
class CutAfter final : public Line {
 public:
  CutAfter(ConnectionId connection, std::int64_t bytes, Tally& tally)
      : connection_(connection), left_(bytes), tally_(tally) {}

  void Push(Chunk chunk, TimePoint) override {
    if (shut()) return;  // nothing comes after a reset
    if (chunk.size() >= left_ && chunk.kind == Chunk::Kind::kBytes) {
      chunk.bytes.resize(static_cast<std::size_t>(left_));
      Join(std::move(chunk));
      Join(Chunk::Reset());
      left_ = 0;
      tally_.Cut(connection_);
      return;
    }
    left_ -= chunk.size();
    Join(std::move(chunk));
  }
  bool shut() const override { return left_ == 0; }

 private:
  const ConnectionId connection_;
  std::int64_t left_;
  Tally& tally_;
};

class Cut final : public AimedEffect {
 public:
  explicit Cut(const EffectSeed& seed) : AimedEffect(seed) {}

 private:
  std::unique_ptr<Stage> Hit(ConnectionId connection) override {
    if (after_bytes_ > 0) return std::make_unique<CutAfter>(connection, after_bytes_, tally_);
    tally_.Cut(connection);
    return std::make_unique<CutNow>();
  }
};

const EffectRegistration kCut{{
    .name = "cut",
    .explain =
        "Resets the connection towards both sides, as a firewall or a dying host would: no end of "
        "stream, and whatever the kernel had not delivered yet is lost with it. By default it hits "
        "the connections that exist at that moment, once; those that come later are left alone.",
    .parameters = AimParameters(
        {.future = "Whether connections that come later are cut as well, until healed.",
         .after_bytes = "Cut when this many further bytes have passed in the direction of the "
                        "effect (counted for each direction alone); 0B means at once."}),
    .make = [](const EffectSeed& seed) { return std::make_unique<Cut>(seed); },
}};

}  // namespace
}  // namespace watchproof::proxy
