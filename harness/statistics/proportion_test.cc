// SPDX-License-Identifier: Apache-2.0
#include "harness/statistics/proportion.h"

#include <gtest/gtest.h>

namespace watchproof {
namespace {

struct Row {
  Proportion counted;
  Interval expected;
};

// The bounds as tables of the exact binomial interval print them.
TEST(ProportionTest, TheExactIntervalOfAShare) {
  const Row rows[] = {{{0, 1}, {0, 0.975}},        {{1, 1}, {0.025, 1}},
                      {{0, 10}, {0, 0.3085}},      {{10, 10}, {0.6915, 1}},
                      {{7, 8}, {0.4735, 0.9968}},  {{5, 10}, {0.1871, 0.8129}},
                      {{1, 50}, {0.0005, 0.1065}}, {{0, 0}, {0, 1}}};
  for (const Row& row : rows) {
    const Interval found = ClopperPearson(row.counted);
    EXPECT_NEAR(found.low, row.expected.low, 1e-4) << row.counted.hits << row.counted.trials;
    EXPECT_NEAR(found.high, row.expected.high, 1e-4) << row.counted.hits << row.counted.trials;
  }
}

TEST(ProportionTest, MoreConfidenceIsWider) {
  const Interval wide = ClopperPearson({5, 10}, 0.995);
  EXPECT_LT(wide.low, ClopperPearson({5, 10}).low);
  EXPECT_FALSE(ClopperPearson({0, 10}).Overlaps(ClopperPearson({10, 10})));
  EXPECT_TRUE(ClopperPearson({0, 3}).Overlaps(ClopperPearson({3, 3})));
}

TEST(ProportionTest, AnIntervalIsPrintedNoNarrowerThanItIs) {
  EXPECT_EQ(Percent({0.4735, 0.9968}), "47-99.7 %");
  EXPECT_EQ(Percent({0, 0.3085}), "0-31 %");
  EXPECT_EQ(Percent({0.0005, 0.1065}), "0.0-11 %");
  EXPECT_EQ(Percent({0, 1}), "0-100 %");
}

}  // namespace
}  // namespace watchproof
