// SPDX-License-Identifier: Apache-2.0
#include "harness/statistics/bisection.h"

#include <gtest/gtest.h>

#include "harness/base/prng.h"

namespace watchproof {
namespace {

// Searches among builds that are good before `first_bad`; how many were looked at.
int Search(Bisection& search, std::size_t first_bad, const std::vector<std::size_t>& skipped = {}) {
  int looks = 0;
  while (const auto next = search.Next()) {
    ++looks;
    BuildState state = *next < first_bad ? BuildState::kGood : BuildState::kBad;
    for (const std::size_t one : skipped) {
      if (one == *next) state = BuildState::kSkipped;
    }
    search.Set(*next, state);
  }
  return looks;
}

TEST(BisectionTest, EveryPlaceIsFoundInFewLooks) {
  for (std::size_t first_bad = 1; first_bad < 100; ++first_bad) {
    Bisection search(100);
    EXPECT_LE(Search(search, first_bad), 7);
    EXPECT_EQ(search.last_good(), first_bad - 1);
    EXPECT_EQ(search.first_bad(), first_bad);
  }
}

TEST(BisectionTest, TwoBuildsNeedNoLook) {
  Bisection search(2);
  EXPECT_EQ(search.Next(), std::nullopt);
}

TEST(BisectionTest, BuildsThatCannotBeJudgedAreGoneAround) {
  Bisection search(9);
  EXPECT_LE(Search(search, 5, {4, 3}), 7);
  EXPECT_EQ(search.last_good(), 2U);
  EXPECT_EQ(search.first_bad(), 5U);
  EXPECT_EQ(search.state(4), BuildState::kSkipped);
  Bisection elsewhere(9);
  Search(elsewhere, 8, {4});
  EXPECT_EQ(elsewhere.last_good(), 7U);
}

TEST(ShowTestTest, LiteralSequences) {
  ShowTest certain{.present = 0.5};
  certain.Add(true);
  EXPECT_EQ(certain.state(), ShowState::kOpen);  // once may be an accident
  certain.Add(true);
  EXPECT_EQ(certain.state(), ShowState::kShows);
  ShowTest absent{.present = 0.5};
  for (int i = 0; i < 6; ++i) absent.Add(false);
  EXPECT_EQ(absent.state(), ShowState::kOpen);
  absent.Add(false);
  EXPECT_EQ(absent.state(), ShowState::kShowsNot);
  ShowTest always{.present = 1};
  always.Add(false);
  EXPECT_EQ(always.state(), ShowState::kShowsNot);
}

TEST(ShowTestTest, RarelyWrongWithLuck) {
  Prng prng(11);
  for (const double chance : {0.01, 0.2}) {
    int wrong = 0;
    for (int build = 0; build < 1000; ++build) {
      ShowTest test{.present = 0.2};
      while (test.state() == ShowState::kOpen) test.Add(prng.Chance(chance));
      wrong += (test.state() == ShowState::kShows) == (chance < 0.1) ? 1 : 0;
    }
    EXPECT_LE(wrong, 10) << chance;
  }
}

}  // namespace
}  // namespace watchproof
