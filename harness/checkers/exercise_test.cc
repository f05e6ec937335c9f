// SPDX-License-Identifier: Apache-2.0
#include "harness/checkers/exercise.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "harness/checkers/testing/script.h"

namespace watchproof {
namespace {

using testing::Contains;
using testing::Key;
using testing::Not;

Exercise Of(const Script& script) { return script.Judge().exercise; }

TEST(Exercise, CountsWatchesEventsAndAnswers) {
  const Exercise exercise = Of(Script()
                                   .Watch("k", 2)
                                   .Created(0, 1)
                                   .Put("k", "a", 2)
                                   .Put("k", "b", 3)
                                   .Deliver(0, {{2, "k"}})
                                   .Watch("j", 0)
                                   .Annotate(StageReached{Stage::kConverged}));
  EXPECT_EQ(exercise.watches_asked, 2U);
  EXPECT_EQ(exercise.watches_created, 1U);
  EXPECT_EQ(exercise.events_expected, 2U);
  EXPECT_EQ(exercise.events_delivered, 1U);
  EXPECT_EQ(exercise.promises_asked, 2U);
  EXPECT_EQ(exercise.promises_answered, 1U);
  EXPECT_THAT(exercise.opportunities, Contains(Key("Reliable")));
  EXPECT_THAT(exercise.opportunities, Not(Contains(Key("Ordered"))));
}

TEST(Exercise, WithoutAWatchEverythingIsVacuous) {
  const Exercise exercise = Of(Script().Put("k", "a", 2).Compact(2));
  EXPECT_TRUE(Vacuous(exercise, {}));
  EXPECT_TRUE(Vacuous(exercise, {"CompactionSurfaced"}));
  EXPECT_TRUE(Vacuous(exercise, {"Settled"}));
}

TEST(Exercise, ARefusedWatchTestsNoDelivery) {
  const Exercise exercise =
      Of(Script().Put("k", "a", 2).Watch("k", 2).Refused(-1, "too many requests"));
  EXPECT_TRUE(Vacuous(exercise, {}));
  EXPECT_TRUE(Vacuous(exercise, {"Reliable"}));
  EXPECT_FALSE(Vacuous(exercise, {"Settled"}));
}

TEST(Exercise, AGuaranteeNeedsAnOpportunity) {
  const Exercise exercise =
      Of(Script().Watch("k", 2).Created(0, 1).Put("k", "a", 2).Deliver(0, {{2, "k"}}));
  EXPECT_FALSE(Vacuous(exercise, {"Reliable", "Unique"}));
  for (const char* guarantee : {"Ordered", "Atomic", "PreviousValue", "Fragmented", "Filtered",
                                "CompactionSurfaced", "Bookmarkable", "Resumable", "Isolated"}) {
    EXPECT_TRUE(Vacuous(exercise, {guarantee})) << guarantee;
  }
}

// The driver writes them in every attempt, so a watch of a key that the case never writes proves
// nothing.
TEST(Exercise, SentinelsAreNoOpportunity) {
  Script script;
  script.Watch("k", 2).Created(0, 1).Put("other", "a", 2).Annotate(StageReached{Stage::kHealed});
  script.Put("k", "sentinel", 3)
      .Put("k", "sentinel", 4)
      .Deliver(0, {{3, "k"}})
      .Deliver(0, {{4, "k"}});
  for (const char* guarantee : {"Reliable", "Unique", "Ordered", "Fields"}) {
    EXPECT_TRUE(Vacuous(Of(script), {guarantee})) << guarantee;
  }
}

TEST(Exercise, LateEventsOfTheCaseCountAlsoAfterTheHealing) {
  Script script;
  script.Watch("k", 2).Created(0, 1).Put("k", "a", 2).Annotate(StageReached{Stage::kHealed});
  script.Put("k", "sentinel", 3).Deliver(0, {{2, "k"}, {3, "k"}});
  EXPECT_FALSE(Vacuous(Of(script), {"Reliable", "Unique", "Ordered", "Fields"}));
}

}  // namespace
}  // namespace watchproof
