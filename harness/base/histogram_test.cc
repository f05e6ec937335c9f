// SPDX-License-Identifier: Apache-2.0
#include "harness/base/histogram.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace watchproof {
namespace {

using testing::ElementsAre;
using testing::Pair;

TEST(HistogramTest, SmallAmountsAreExactAndLargeOnesWithinAnEighth) {
  for (std::int64_t amount = 0; amount < 5'000'000; amount += 1 + amount / 7) {
    Histogram histogram;
    histogram.Add(amount);
    ASSERT_EQ(histogram.Buckets().size(), 1u);
    const std::int64_t low = histogram.Buckets()[0].first;
    ASSERT_LE(low, amount);
    ASSERT_GE(low + low / 8, amount);
  }
}

TEST(HistogramTest, FindsQuantiles) {
  Histogram histogram;
  for (int i = 0; i < 98; ++i) histogram.Add(5);
  histogram.Add(700);
  histogram.Add(1000);
  EXPECT_EQ(histogram.Quantile(0.5), 5);
  EXPECT_GE(histogram.Quantile(0.98), 700);
  EXPECT_LT(histogram.Quantile(0.98), 800);
  EXPECT_EQ(histogram.Quantile(1), 1000);
  EXPECT_EQ(histogram.highest(), 1000);
  EXPECT_EQ(Histogram().Quantile(0.5), 0);
}

TEST(HistogramTest, MergesLosslessly) {
  Histogram one;
  Histogram other;
  one.Add(3);
  one.Add(-4);
  other.AddMany(3, 2);
  other.Add(100);
  one.Merge(other);
  EXPECT_EQ(one.count(), 5u);
  EXPECT_THAT(one.Buckets(), ElementsAre(Pair(0, 1), Pair(3, 3), Pair(96, 1)));
  EXPECT_EQ(one.highest(), 100);
}

TEST(HistogramTest, IsRebuiltFromItsBuckets) {
  Histogram histogram;
  for (const std::int64_t amount : {0, 7, 8, 1234, 999'999}) histogram.Add(amount);
  const Histogram again = Histogram::Restore(histogram.Buckets(), histogram.highest());
  EXPECT_EQ(again.Buckets(), histogram.Buckets());
  EXPECT_EQ(again.highest(), 999'999);
  EXPECT_EQ(again.count(), 5u);
}

}  // namespace
}  // namespace watchproof
