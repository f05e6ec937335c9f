// SPDX-License-Identifier: Apache-2.0
#include "harness/decide/power.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "harness/runs/testing/scripted_attempts.h"

namespace watchproof {
namespace {

using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

const std::vector<std::string> kReleases = {"3.5.16", "3.4.23", "3.5.12", "3.5.0", "3.6.16"};
constexpr char kSignature[] = "delete-at-the-floor";

PowerPlan PlanOfLostDelete() { return *PlanPower({.bugs = {"18089"}, .releases = kReleases}); }

ScriptedAttempts Scripted(const PowerPlan& plan, ScriptedAttempts::Script script) {
  return {plan.cases(), plan.targets(), std::move(script)};
}

TEST(Power, MeasuresOnTheLastReleaseWithTheBugBeforeTheFirstWithoutIt) {
  const PowerPlan plan = PlanOfLostDelete();
  ASSERT_EQ(plan.trials.size(), 1U);
  EXPECT_EQ(plan.trials[0].case_name, "CompactionSurfaced.DeleteAtFloor");
  EXPECT_EQ(plan.trials[0].release, "3.5.12");
  EXPECT_EQ(plan.trials[0].fixed, "3.5.16");
  EXPECT_THAT(plan.targets(), ElementsAre("etcd@3.5.12", "etcd@3.5.16"));
}

TEST(Power, PrefersAFixedReleaseOfTheSameBranch) {
  const auto plan =
      PlanPower({.bugs = {"18089"}, .releases = {"3.4.23", "3.4.34", "3.5.12", "3.6.16"}});
  ASSERT_TRUE(plan.has_value());
  EXPECT_EQ(plan->trials[0].release, "3.4.23");
  EXPECT_EQ(plan->trials[0].fixed, "3.4.34");
}

TEST(Power, TakesAFixedReleaseOfAnotherBranchIfThereIsNoOther) {
  const auto plan = PlanPower({.bugs = {"18089"}, .releases = {"3.5.12", "3.6.16"}});
  ASSERT_TRUE(plan.has_value());
  EXPECT_EQ(plan->trials[0].release, "3.5.12");
  EXPECT_EQ(plan->trials[0].fixed, "3.6.16");
}

TEST(Power, NeedsNoFixedRelease) {
  const auto plan = PlanPower({.bugs = {"18089"}, .releases = {"3.5.0", "3.5.12"}});
  ASSERT_TRUE(plan.has_value());
  EXPECT_EQ(plan->trials[0].release, "3.5.12");
  EXPECT_THAT(plan->trials[0].fixed, IsEmpty());
  EXPECT_THAT(plan->targets(), ElementsAre("etcd@3.5.12"));
}

TEST(Power, LeavesOutWhatCannotBeMeasured) {
  const auto plan = PlanPower({.releases = {"3.5.12", "3.5.16"}});
  ASSERT_TRUE(plan.has_value());
  EXPECT_THAT(plan->left_out, Contains("#15271: needs a cluster"));
  EXPECT_THAT(plan->left_out, Contains("lease-left-out: no release with it is in the cache"));
  for (const PowerTrial& trial : plan->trials) EXPECT_NE(trial.bug.title, "etcd #15271");
}

TEST(Power, RefusesABugOfNoRelease) {
  const auto plan = PlanPower({.bugs = {"18089"}, .releases = {"3.6.16"}});
  ASSERT_FALSE(plan.has_value());
  EXPECT_THAT(plan.error().message(), HasSubstr("#18089: no release with it is in the cache"));
}

TEST(Power, MakesTheSameNumberOfAttemptsOnBoth) {
  const PowerPlan plan = PlanOfLostDelete();
  ScriptedAttempts attempts = Scripted(plan, [](const PlannedAttempt&) { return Passed(); });
  MeasurePower(attempts, plan, 6);
  EXPECT_EQ(attempts.Made("", "etcd@3.5.12"), 6);
  EXPECT_EQ(attempts.Made("", "etcd@3.5.16"), 6);
}

TEST(Power, BugsThatShareACaseAndAReleaseShareTheAttempts) {
  PowerPlan plan = PlanOfLostDelete();
  plan.trials.push_back(plan.trials.front());
  ScriptedAttempts attempts = Scripted(plan, [](const PlannedAttempt&) { return Passed(); });
  MeasurePower(attempts, plan, 5);
  EXPECT_EQ(attempts.planned().size(), 10U);
}

TEST(Power, CountsWhatShowsTheBug) {
  const PowerPlan plan = PlanOfLostDelete();
  ScriptedAttempts attempts = Scripted(plan, [](const PlannedAttempt& planned) {
    if (planned.target->release != "3.5.12") return Passed();
    switch (planned.attempt) {
      case 1:
        return Passed();
      case 2:
        return Inconclusive("too slow");
      case 3:
        return Failed("Reliable", "another-bug");
      default:
        return Failed("Reliable", kSignature);
    }
  });
  MeasurePower(attempts, plan, 8);
  const DetectionTable table = TableOf(plan, attempts.record());
  ASSERT_EQ(table.rows.size(), 1U);
  EXPECT_EQ(table.rows[0].shown.hits, 5);
  EXPECT_EQ(table.rows[0].shown.trials, 7);
  EXPECT_EQ(table.rows[0].undecided, 1);
  EXPECT_DOUBLE_EQ(table.rows[0].seconds, 2);
  EXPECT_EQ(table.rows[0].alarms.trials, 8);
  EXPECT_FALSE(table.Wrong());
}

TEST(Power, AFailureOfTheFixedReleaseIsAFalseAlarm) {
  const PowerPlan plan = PlanOfLostDelete();
  ScriptedAttempts attempts = Scripted(plan, [](const PlannedAttempt& planned) {
    const bool alarm = planned.target->release == "3.5.12" || planned.attempt == 2;
    return alarm ? Failed("Reliable", kSignature) : Passed();
  });
  MeasurePower(attempts, plan, 4);
  const DetectionTable table = TableOf(plan, attempts.record());
  EXPECT_EQ(table.rows[0].alarms.hits, 1);
  ASSERT_EQ(table.rows[0].why.size(), 1U);
  EXPECT_THAT(table.rows[0].why[0], HasSubstr("--target etcd@3.5.16"));
  EXPECT_TRUE(table.Wrong());
}

TEST(Power, ABugThatIsNeverShownIsWrong) {
  const PowerPlan plan = PlanOfLostDelete();
  ScriptedAttempts attempts = Scripted(plan, [](const PlannedAttempt&) { return Passed(); });
  MeasurePower(attempts, plan, 4);
  EXPECT_TRUE(TableOf(plan, attempts.record()).Wrong());
}

}  // namespace
}  // namespace watchproof
