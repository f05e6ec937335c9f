// SPDX-License-Identifier: Apache-2.0
#include "harness/scenario/tries.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "harness/scenario/steps/moment.h"

namespace watchproof {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

AttemptSpec Spec(int tries) { return {.case_name = "A.B", .seed = 7, .tries = tries}; }

AttemptResult Ended(const AttemptSpec& spec, Verdict verdict) {
  return {.seed = FormatSeed(spec.seed),
          .verdict = verdict,
          .started = fmt::format("with {}", spec.seed),
          .reason = std::string(Name(verdict))};
}

// Carries out a script: the verdict of each try.
class Script {
 public:
  explicit Script(std::vector<Verdict> verdicts) : verdicts_(std::move(verdicts)) {}

  AttemptResult Run(const AttemptSpec& spec) {
    return UntilDecided(spec, {.plan = [this](const AttemptSpec& one) -> Result<Plan> {
                                 Plan plan;
                                 if (one.seed != 7) plan.steps.push_back(HoldStep{later_wait});
                                 return plan;
                               },
                               .run =
                                   [this](const AttemptSpec& one, const Plan&) {
                                     seeds.push_back(one.seed);
                                     limits.push_back(one.time_limit_ms);
                                     AttemptResult result =
                                         Ended(one, verdicts_.at(seeds.size() - 1));
                                     result.declared = declared;
                                     result.consumer = consumer;
                                     return result;
                                   }})
        .value();
  }

  std::vector<std::uint64_t> seeds;
  std::vector<std::int64_t> limits;
  Duration later_wait{};
  bool declared = false;
  ConsumerRecord consumer{};

 private:
  const std::vector<Verdict> verdicts_;
};

TEST(Tries, OnlyWhatIsUndecidedIsTriedAgain) {
  using enum Verdict;
  for (const Verdict verdict : {kPass, kFail, kUnsupported, kHarnessError}) {
    Script script({verdict});
    const AttemptResult result = script.Run(Spec(3));
    EXPECT_EQ(result.verdict, verdict);
    EXPECT_THAT(result.undecided_tries, IsEmpty());
    EXPECT_THAT(script.seeds, ElementsAre(7));
    for (const Verdict last : {kPass, kFail, kUnsupported, kHarnessError}) {
      Script two({kInconclusive, last});
      EXPECT_EQ(two.Run(Spec(3)).verdict, last);
      EXPECT_EQ(two.seeds.size(), 2U);
    }
  }
}

TEST(Tries, EachHasItsOwnSeedWhichTheResultNames) {
  using enum Verdict;
  Script script({kInconclusive, kInconclusive, kPass});
  const AttemptResult result = script.Run(Spec(3));
  EXPECT_THAT(script.seeds, ElementsAre(7, SeedOfTry(7, 2), SeedOfTry(7, 3)));
  EXPECT_EQ(result.seed, FormatSeed(SeedOfTry(7, 3)));
  EXPECT_EQ(result.started, "with 7");
  ASSERT_EQ(result.undecided_tries.size(), 2U);
  EXPECT_EQ(result.undecided_tries[0].seed, "0x7");
  EXPECT_EQ(result.undecided_tries[0].reason, "inconclusive");
  EXPECT_EQ(result.undecided_tries[1].seed, FormatSeed(SeedOfTry(7, 2)));
}

TEST(Tries, EndWithTheirNumber) {
  using enum Verdict;
  for (const int tries : {1, 2, 3}) {
    Script script({kInconclusive, kInconclusive, kInconclusive});
    EXPECT_EQ(script.Run(Spec(tries)).verdict, kInconclusive);
    EXPECT_EQ(std::ssize(script.seeds), tries);
  }
}

TEST(Tries, AGivenPlanAndADeclaredEndHaveOne) {
  Script given({Verdict::kInconclusive});
  AttemptSpec spec = Spec(3);
  spec.given_plan = "plan.jsonl";
  EXPECT_EQ(given.Run(spec).verdict, Verdict::kInconclusive);
  Script declares({Verdict::kInconclusive});
  declares.declared = true;
  EXPECT_TRUE(declares.Run(Spec(3)).declared);
}

TEST(Tries, AConsumerIsToBeDecidedToo) {
  using enum Verdict;
  struct Row {
    Verdict target;
    Verdict consumer;
    bool again;
  };
  constexpr Row kRows[] = {
      {kPass, kPass, false},
      {kPass, kInconclusive, true},
      {kInconclusive, kPass, true},
      {kInconclusive, kInconclusive, true},
      {kInconclusive, kFail, false},
      {kFail, kInconclusive, false},
      {kHarnessError, kInconclusive, false},
      {kInconclusive, kHarnessError, false},
  };
  for (const Row& row : kRows) {
    Script script({row.target, row.target});
    script.consumer = {.name = "informer", .verdict = row.consumer, .reason = "not listed"};
    const AttemptResult result = script.Run(Spec(2));
    EXPECT_EQ(script.seeds.size(), row.again ? 2U : 1U)
        << Name(row.target) << ", " << Name(row.consumer);
    if (row.target == kPass && row.again) {
      EXPECT_EQ(result.undecided_tries.at(0).reason, "not listed");
    }
  }
}

TEST(Tries, AreWithinTheTimeOfTheAttempt) {
  Script script({Verdict::kInconclusive, Verdict::kPass});
  AttemptSpec spec = Spec(2);
  spec.time_limit_ms = 3'600'000;
  script.Run(spec);
  ASSERT_EQ(script.limits.size(), 2U);
  EXPECT_EQ(script.limits[0], 3'600'000);
  EXPECT_LT(script.limits[1], 3'600'000);
  Script waits({Verdict::kInconclusive});
  waits.later_wait = 50min;  // more than the steps may take
  EXPECT_EQ(waits.Run(spec).verdict, Verdict::kInconclusive);
  EXPECT_EQ(waits.seeds.size(), 1U);
}

TEST(Tries, NoneBeginsThatTheLimitCouldEnd) {
  EXPECT_EQ(TimeForAnotherTry(60s, 5s, 5s), Duration(55s));
  EXPECT_EQ(TimeForAnotherTry(60s, 24s, 12s), Duration(36s));
  EXPECT_EQ(TimeForAnotherTry(60s, 25s, 12s), std::nullopt);
  EXPECT_EQ(TimeForAnotherTry(60s, 24s, 24s), std::nullopt);
}

}  // namespace
}  // namespace watchproof
