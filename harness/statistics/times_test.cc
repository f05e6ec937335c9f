// SPDX-License-Identifier: Apache-2.0
#include "harness/statistics/times.h"

#include <gtest/gtest.h>

#include "harness/base/prng.h"

namespace watchproof {
namespace {

TEST(Times, FiveAlikeDecideAndFourDoNot) {
  EXPECT_EQ(Decided::kBeyond, Decide({3, 3, 3, 3, 3}, 2));
  EXPECT_EQ(Decided::kWithin, Decide({1, 1, 1, 2, 1}, 2));
  EXPECT_EQ(Decided::kOpen, Decide({3, 3, 3, 3}, 2));
  EXPECT_EQ(Decided::kOpen, Decide({}, 2));
}

TEST(Times, OneThatDiffersTakesMore) {
  std::vector<double> times{1, 3, 3, 3, 3, 3};
  EXPECT_EQ(Decided::kOpen, Decide(times, 2));
  times.insert(times.end(), 8, 3);
  EXPECT_EQ(Decided::kBeyond, Decide(times, 2));
}

// Looked at after each comparison.
TEST(Times, AtTheLimitItIsSeldomDecided) {
  Prng prng(1);
  int decided = 0;
  constexpr int kSeries = 400;
  for (int i = 0; i < kSeries; ++i) {
    std::vector<double> times;
    Decided found = Decided::kOpen;
    while (times.size() < 40 && found == Decided::kOpen) {
      times.push_back(prng.Chance(0.5) ? 3 : 1);
      found = Decide(times, 2);
    }
    decided += found == Decided::kOpen ? 0 : 1;
  }
  EXPECT_LT(decided, kSeries / 10);
}

TEST(Times, MedianIsTheMiddleOne) {
  EXPECT_EQ(2, MedianOf({3, 1, 2}));
  EXPECT_EQ(2.5, MedianOf({4, 1, 2, 3}));
}

TEST(Times, FewValuesAreTheirOwnInterval) {
  const Interval of = MedianInterval({5, 1, 4, 2, 3});
  EXPECT_EQ(1, of.low);
  EXPECT_EQ(5, of.high);
}

// The median is below k + 1 of n values as often as at most k of n coins fall on one side.
TEST(Times, IntervalContainsTheMedian) {
  std::vector<double> values;
  for (int i = 1; i <= 20; ++i) values.push_back(i);
  const Interval of = MedianInterval(values);
  EXPECT_EQ(6, of.low);
  EXPECT_EQ(15, of.high);
}

}  // namespace
}  // namespace watchproof
