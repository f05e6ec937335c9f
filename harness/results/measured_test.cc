// SPDX-License-Identifier: Apache-2.0
#include "harness/results/measured.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace watchproof {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using testing::Pair;

AttemptResult Sample() {
  AttemptResult result{.case_name = "Bounded.X"};
  result.measured = {{"kept", "a watch", {30, 10, 20}, {5, 6, 7}},
                     {"puts", "reads", {100}, {200}},
                     {"seconds", "reads", {1}, {2}},
                     {"resident", "reads", {}, {}}};
  return result;
}

TEST(Measured, IsTheMedianBesideTheBurdenAndWithoutIt) {
  EXPECT_THAT(FiguresOf(Sample(), {Measure::kMemory}),
              ElementsAre(Pair(FigureAt{"Bounded.X", Figure::kKept, ""}, 6),
                          Pair(FigureAt{"Bounded.X", Figure::kKept, "a watch"}, 20)));
  EXPECT_EQ(2U, FiguresOf(Sample(), {Measure::kPuts}).size());
  EXPECT_THAT(FiguresOf(Sample(), {Measure::kDelay}), IsEmpty());
}

TEST(Measured, HowBusyTheMachineWasIsNoFigure) {
  AttemptResult result = Sample();
  EXPECT_EQ(0, ElsewhereOf(result));
  result.measured.push_back({std::string(kElsewhere), "", {0.4}, {0}});
  EXPECT_EQ(0.4, ElsewhereOf(result));
  EXPECT_EQ(4U, FiguresOf(result, {Measure::kMemory, Measure::kPuts, Measure::kDelay}).size());
}

TEST(Measured, HasANameForPeopleAndOneOfItsOwn) {
  const FigureAt at{"Bounded.X", Figure::kKept, "a watch"};
  EXPECT_EQ("memory in use beside a watch", at.Name());
  EXPECT_EQ("Bounded.X: memory in use beside a watch", at.Id());
  EXPECT_EQ("memory in use", (FigureAt{"Bounded.X", Figure::kKept, ""}.Name()));
}

TEST(Measured, ListsOfMeasuresAreRead) {
  EXPECT_THAT(*ParseMeasures("puts,memory"), ElementsAre(Measure::kMemory, Measure::kPuts));
  EXPECT_EQ("--measure: 'cpu'; expected some of memory,puts,delay",
            ParseMeasures("puts,cpu").error().message());
}

}  // namespace
}  // namespace watchproof
