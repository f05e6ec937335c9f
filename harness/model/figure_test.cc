// SPDX-License-Identifier: Apache-2.0
#include "harness/model/figure.h"

#include <gtest/gtest.h>

namespace watchproof {
namespace {

TEST(Figure, EachIsFoundByItsNameAndStandsAtItsPlace) {
  for (const FigureInfo& info : AllFigures()) {
    EXPECT_EQ(info.figure, FindFigure(info.name));
    EXPECT_EQ(info.name, About(info.figure).name);
  }
  EXPECT_FALSE(FindFigure("seconds"));
}

TEST(Figure, FewerPutsAreWorseAndMoreMemoryIs) {
  EXPECT_DOUBLE_EQ(4, TimesWorse(Figure::kPuts, 500, 2000));
  EXPECT_DOUBLE_EQ(0.25, TimesWorse(Figure::kPuts, 2000, 500));
  EXPECT_DOUBLE_EQ(1.5, TimesWorse(Figure::kKept, 30, 20));
}

// Three goroutines more for a thousand watches are none for each.
TEST(Figure, NextToNothingIsNothing) {
  EXPECT_DOUBLE_EQ(1, TimesWorse(Figure::kPerCancel, 0.003, 0));
  EXPECT_DOUBLE_EQ(20, TimesWorse(Figure::kPerCancel, 1, 0));
  EXPECT_DOUBLE_EQ(1000, TimesWorse(Figure::kPuts, 0, 1000));
}

TEST(Figure, IsWrittenWithItsUnit) {
  EXPECT_EQ("1234 /s", WithUnit(Figure::kPuts, 1234.4));
  EXPECT_EQ("0.31 KB", WithUnit(Figure::kPerWatch, 0.312));
  EXPECT_EQ("59.0", WithUnit(Figure::kGoroutines, 59));
}

}  // namespace
}  // namespace watchproof
