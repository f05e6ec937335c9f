// SPDX-License-Identifier: Apache-2.0
// Corrupt: a bit is flipped now and then. TCP's checksums keep networks from doing this, so it only
// serves to prove that an oracle would notice it.
#include <fmt/format.h>

#include <memory>
#include <utility>

#include "proxies/effects/effect.h"
#include "proxies/effects/line.h"

namespace watchproof::proxy {
namespace {

class BitFlips final : public Line {
 public:
  BitFlips(ConnectionId connection, std::int64_t every, Prng prng, Tally& tally)
      : connection_(connection), every_(every), prng_(prng), tally_(tally), next_(Gap()) {}

  void Push(Chunk chunk, TimePoint) override {
    // Counted over the stream, so that chunk boundaries change nothing.
    for (; next_ <= chunk.size(); next_ += Gap()) {
      char& byte = chunk.bytes[static_cast<std::size_t>(next_ - 1)];
      byte = static_cast<char>(byte ^ (1 << prng_.Below(8)));
      tally_.Corrupted(connection_, 1);
    }
    next_ -= chunk.size();
    Join(std::move(chunk));
  }

 private:
  std::int64_t Gap() { return prng_.Between(1, 2 * every_ - 1); }

  const ConnectionId connection_;
  const std::int64_t every_;
  Prng prng_;
  Tally& tally_;
  std::int64_t next_;  // the byte to change, counted from 1 at the start of the next chunk
};

class Corrupt final : public Effect {
 public:
  explicit Corrupt(const EffectSeed& seed)
      : Effect(seed.armed_at), every_(seed.values.bytes("every")), prng_(seed.prng) {}

  std::unique_ptr<Stage> MakeStage(const Placement& placement) override {
    const std::string purpose =
        fmt::format("connection/{}/{}", placement.connection, Name(placement.direction));
    return std::make_unique<BitFlips>(placement.connection, every_, prng_.Fork(purpose), tally_);
  }

 private:
  const std::int64_t every_;
  const Prng prng_;
};

const EffectRegistration kCorrupt{{
    .name = "corrupt",
    .explain =
        "Flips one bit of a byte now and then, at places drawn from the seed. No network does "
        "this to a TCP stream, so it is for self-tests only: it shows that damage would be "
        "noticed.",
    .parameters = {{.name = "every",
                    .kind = ParameterKind::kBytes,
                    .default_value = "1KiB",
                    .explain = "One byte of so many is changed on average, at least 1B.",
                    .least = 1}},
    .self_test_only = true,
    .make = [](const EffectSeed& seed) { return std::make_unique<Corrupt>(seed); },
}};

}  // namespace
}  // namespace watchproof::proxy
