// SPDX-License-Identifier: Apache-2.0
#include "harness/scenario/figure_turns.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace watchproof {
namespace {

using testing::ElementsAre;

const Burden kReads{.name = "reads", .limits = {{"puts", "2"}}};
const Burden kAfter{.name = "what reads have left", .over = true};

TEST(FigureTurns, ABurdenIsComparedWithTheLastTimeWithoutIt) {
  FigureTurns turns;
  EXPECT_FALSE(turns.Note(Figure::kPuts, 900, kReads)) << "there is nothing to compare it with";
  EXPECT_FALSE(turns.Note(Figure::kPuts, 3000, {}));
  EXPECT_FALSE(turns.Note(Figure::kPuts, 2000, {}));
  const auto pair = turns.Note(Figure::kPuts, 900, kReads);
  ASSERT_TRUE(pair);
  EXPECT_EQ(pair->with, 900);
  EXPECT_EQ(pair->without, 2000);
  EXPECT_EQ(pair->limit, 2);
  ASSERT_EQ(turns.measured().size(), 1U);
  EXPECT_THAT(turns.measured().front().with, ElementsAre(900));
}

TEST(FigureTurns, AfterABurdenItIsComparedWithTheWorstBeforeTheFirst) {
  FigureTurns turns;
  turns.Note(Figure::kPuts, 2900, {});
  turns.Note(Figure::kPuts, 3000, {});
  turns.Note(Figure::kPuts, 900, kReads);
  for (const double value : {1000, 500}) {
    const auto pair = turns.Note(Figure::kPuts, value, kAfter);
    ASSERT_TRUE(pair);
    EXPECT_EQ(pair->without, 2900);
    EXPECT_EQ(pair->limit, 0);
  }
  EXPECT_EQ(turns.Note(Figure::kPuts, 400, kReads)->without, 500) << "the last one, though slow";
  turns.Note(Figure::kPuts, 100, {});
  EXPECT_EQ(turns.Note(Figure::kPuts, 400, kAfter)->without, 2900) << "not before the first";
}

TEST(FigureTurns, OfWhatShouldBeSmallTheLargestIsTheWorst) {
  FigureTurns turns;
  turns.Note(Figure::kEventDelay, 2, {});
  turns.Note(Figure::kEventDelay, 3, {});
  turns.Note(Figure::kEventDelay, 9, kReads);
  EXPECT_EQ(turns.Note(Figure::kEventDelay, 9, kAfter)->without, 3);
  EXPECT_EQ(turns.Last(Figure::kEventDelay), 9);
  EXPECT_EQ(turns.Last(Figure::kPuts), std::nullopt);
}

}  // namespace
}  // namespace watchproof
