// SPDX-License-Identifier: Apache-2.0
// Reproducible random numbers: one generator per purpose, all derived from one seed.
//
//   Prng keys = run.Fork("keys");   // adding another consumer later shifts nothing here
//   keys.Below(10);
//
// The distributions are implemented here, because the standard ones differ between libraries. Not
// thread-safe.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "harness/base/deadline.h"

namespace watchproof {

class Prng {
 public:
  explicit Prng(std::uint64_t seed);

  // A child that depends on this generator's seed and the purpose only, not on what was drawn so
  // far.
  Prng Fork(std::string_view purpose) const;
  std::uint64_t seed() const { return seed_; }

  std::uint64_t Next();
  // In [0, bound). Requires: bound > 0.
  std::uint64_t Below(std::uint64_t bound);
  // In [low, high], both included. Requires: low <= high.
  std::int64_t Between(std::int64_t low, std::int64_t high);
  Duration Between(Duration low, Duration high);
  // True with the given probability; 0 is never, 1 is always.
  bool Chance(double probability);
  // Lower-case letters and digits.
  std::string Word(std::size_t length);

  template <typename T>
  const T& Pick(const std::vector<T>& from) {
    return from[Below(from.size())];
  }
  template <typename T>
  void Shuffle(std::vector<T>& items) {
    for (std::size_t i = items.size(); i > 1; --i) std::swap(items[i - 1], items[Below(i)]);
  }

 private:
  std::uint64_t seed_;
  std::array<std::uint64_t, 4> state_;
};

// 64-bit FNV-1a: stable across builds and machines; for shards and seeds, never for security.
std::uint64_t Fnv1a(std::string_view text, std::uint64_t basis = 0xcbf29ce484222325ULL);

}  // namespace watchproof
