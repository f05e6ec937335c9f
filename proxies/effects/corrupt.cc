// SPDX-License-Identifier: Apache-2.0
// Corrupt: a bit is flipped now and then. TCP's checksums keep networks from doing this, so it only
// serves to prove that an oracle would notice it.
#include <utility>

#include "proxies/effects/effect.h"

namespace watchproof::proxy {
namespace {

class BitFlips final : public Line {
 public:
  explicit BitFlips(const StageSeed& seed)
      : every_(seed.values.bytes("every")), prng_(seed.prng), tally_(seed.tally), next_(Gap()) {}

  void Push(Chunk chunk, TimePoint) override {
    // Counted over the stream, so that chunk boundaries change nothing.
    for (; next_ <= chunk.size(); next_ += Gap()) {
      char& byte = chunk.bytes[static_cast<std::size_t>(next_ - 1)];
      byte = static_cast<char>(byte ^ (1 << prng_.Below(8)));
      tally_.Add(&Receipt::bytes_corrupted, 1);
    }
    next_ -= chunk.size();
    Join(std::move(chunk));
  }

 private:
  std::int64_t Gap() { return prng_.Between(1, 2 * every_ - 1); }

  const std::int64_t every_;
  Prng prng_;
  ConnectionTally tally_;
  std::int64_t next_;  // the byte to change, counted from 1 at the start of the next chunk
};

const EffectRegistration kCorrupt{{
    .name = "corrupt",
    .explain =
        "Flips one bit of a byte now and then, at places drawn from the seed. No network does "
        "this to a TCP stream, so it is for self-tests only: it shows that damage would be "
        "noticed.",
    .parameters = {{"every", ParameterKind::kBytes, "1KiB",
                    "One byte of so many is changed on average, at least 1B.", 1}},
    .self_test_only = true,
    .make = PipeEffectOf<BitFlips>,
}};

}  // namespace
}  // namespace watchproof::proxy
