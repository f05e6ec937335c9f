// SPDX-License-Identifier: Apache-2.0
#include "harness/base/prng.h"

#include <gtest/gtest.h>

#include <set>

namespace watchproof {
namespace {

TEST(Prng, SameSeedSameSequenceAndForkIgnoresWhatWasDrawn) {
  Prng a(7);
  Prng b(7);
  const Prng early = a.Fork("keys");
  for (int i = 0; i < 10; ++i) EXPECT_EQ(a.Next(), b.Next());
  EXPECT_EQ(a.Fork("keys").seed(), early.seed());
  EXPECT_NE(a.Fork("keys").seed(), a.Fork("values").seed());
}

TEST(Prng, StaysWithinBoundsAndReachesThem) {
  Prng prng(1);
  std::set<std::int64_t> seen;
  for (int i = 0; i < 1000; ++i) seen.insert(prng.Between(-2, 2));
  EXPECT_EQ(seen, (std::set<std::int64_t>{-2, -1, 0, 1, 2}));
  EXPECT_EQ(prng.Between(INT64_MAX, INT64_MAX), INT64_MAX);
}

TEST(Prng, ChanceKeepsItsRate) {
  Prng prng(3);
  int hits = 0;
  for (int i = 0; i < 10000; ++i) hits += prng.Chance(0.25) ? 1 : 0;
  EXPECT_NEAR(hits, 2500, 200);
  EXPECT_FALSE(prng.Chance(0));
  EXPECT_TRUE(prng.Chance(1));
}

// Seeds are printed in reports and must mean the same decisions in every later build.
TEST(Prng, IsStableAcrossBuilds) {
  EXPECT_EQ(Fnv1a("watchproof"), 2766925532421765494ULL);
  EXPECT_EQ(Prng(42).Next(), 0x15780b2e0c2ec716ULL);
}

}  // namespace
}  // namespace watchproof
