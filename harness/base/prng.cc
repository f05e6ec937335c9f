// SPDX-License-Identifier: Apache-2.0
// xoshiro256** seeded through splitmix64, both by their published definitions.
#include "harness/base/prng.h"

#include <bit>

#include "harness/base/check.h"

namespace watchproof {
namespace {

std::uint64_t SplitMix(std::uint64_t& x) {
  std::uint64_t z = (x += 0x9e3779b97f4a7c15ULL);
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ULL;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebULL;
  return z ^ (z >> 31);
}

}  // namespace

std::uint64_t Fnv1a(std::string_view text, std::uint64_t basis) {
  std::uint64_t hash = basis;
  for (const char c : text) {
    hash ^= static_cast<unsigned char>(c);
    hash *= 0x100000001b3ULL;
  }
  return hash;
}

Prng::Prng(std::uint64_t seed) : seed_(seed) {
  std::uint64_t x = seed;
  for (auto& word : state_) word = SplitMix(x);
}

Prng Prng::Fork(std::string_view purpose) const {
  std::uint64_t x = seed_ ^ 0x5851f42d4c957f2dULL;
  return Prng(Fnv1a(purpose, SplitMix(x)));
}

std::uint64_t Prng::Next() {
  const std::uint64_t result = std::rotl(state_[1] * 5, 7) * 9;
  const std::uint64_t t = state_[1] << 17;
  state_[2] ^= state_[0];
  state_[3] ^= state_[1];
  state_[1] ^= state_[2];
  state_[0] ^= state_[3];
  state_[2] ^= t;
  state_[3] = std::rotl(state_[3], 45);
  return result;
}

std::uint64_t Prng::Below(std::uint64_t bound) {
  WP_CHECK(bound > 0, "the bound is above zero");
  // Rejects the incomplete last interval, so that every value is equally likely.
  const std::uint64_t threshold = (0 - bound) % bound;
  for (;;) {
    const std::uint64_t x = Next();
    if (x >= threshold) return x % bound;
  }
}

std::int64_t Prng::Between(std::int64_t low, std::int64_t high) {
  WP_CHECK(low <= high, "an empty interval has no member");
  const std::uint64_t width = static_cast<std::uint64_t>(high) - static_cast<std::uint64_t>(low);
  const std::uint64_t offset = width == UINT64_MAX ? Next() : Below(width + 1);
  return static_cast<std::int64_t>(static_cast<std::uint64_t>(low) + offset);
}

Duration Prng::Between(Duration low, Duration high) {
  return Duration(Between(low.count(), high.count()));
}

bool Prng::Chance(double probability) {
  return static_cast<double>(Next() >> 11) * 0x1.0p-53 < probability;
}

std::string Prng::Word(std::size_t length) {
  static constexpr std::string_view kAlphabet = "abcdefghijklmnopqrstuvwxyz0123456789";
  std::string word(length, '\0');
  for (char& c : word) c = kAlphabet[Below(kAlphabet.size())];
  return word;
}

}  // namespace watchproof
