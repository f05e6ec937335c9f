// SPDX-License-Identifier: Apache-2.0
#include "harness/decide/bisect.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "harness/runs/testing/scripted_attempts.h"

namespace watchproof {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

constexpr int kBuilds = 9;

std::string TargetAt(int build) { return fmt::format("etcd@3.5.{}", build); }
int BuildOf(const PlannedAttempt& planned) {
  return std::stoi(planned.target->text.substr(std::string("etcd@3.5.").size()));
}

BisectOptions Options(std::vector<std::string> cases = {"Ordered.Plain"}) {
  BisectOptions options{
      .names = {}, .targets = {}, .bug = {.title = "a bug", .cases = std::move(cases)}};
  for (int i = 0; i < kBuilds; ++i) {
    options.names.push_back(fmt::format("etcd 3.5.{}", i));
    options.targets.push_back(TargetAt(i));
  }
  return options;
}

ScriptedAttempts Scripted(const BisectOptions& options, ScriptedAttempts::Script script) {
  return {options.bug.cases, options.targets, std::move(script)};
}

// Every attempt fails from this build on.
ScriptedAttempts::Script BadFrom(int first_bad) {
  return [first_bad](const PlannedAttempt& planned) {
    return BuildOf(planned) >= first_bad ? Failed("Ordered") : Passed();
  };
}

TEST(Bisect, FindsTheNeighboursWhereverTheBugCame) {
  for (int bad = 1; bad < kBuilds; ++bad) {
    const BisectOptions options = Options();
    ScriptedAttempts attempts = Scripted(options, BadFrom(bad));
    const Result<FoundStep> found = Bisect(attempts, options);
    ASSERT_TRUE(found.has_value()) << found.error().message();
    EXPECT_EQ(found->last_good, static_cast<std::size_t>(bad - 1));
    EXPECT_EQ(found->first_bad, static_cast<std::size_t>(bad));
    EXPECT_EQ(found->case_name, "Ordered.Plain");
  }
}

BisectOptions OptionsOfFigures() {
  BisectOptions options = Options({"Available.PutsBesideLaggard", "Bounded.MemoryAfterCatchUp"});
  options.bug.measures = {Measure::kMemory, Measure::kPuts};
  return options;
}

AttemptResult Measuring(double puts, double kept) {
  AttemptResult result = Passed();
  result.measured = {{"puts", "a watch far behind", {puts}, {3000}},
                     {"kept", "a watch that has caught up", {kept}, {20}}};
  return result;
}

TEST(Bisect, FindsTheFigureThatDiffersAndWhereItDoes) {
  const BisectOptions options = OptionsOfFigures();
  ScriptedAttempts attempts = Scripted(options, [](const PlannedAttempt& planned) {
    const bool kept = planned.case_name == "Bounded.MemoryAfterCatchUp" && BuildOf(planned) >= 4;
    return Measuring(BuildOf(planned) == 8 ? 1400 : 1500, kept ? 80 : 20);
  });
  const Result<FoundStep> found = Bisect(attempts, options);
  ASSERT_TRUE(found.has_value()) << found.error().message();
  EXPECT_EQ(found->last_good, 3U);
  EXPECT_EQ(found->first_bad, 4U);
  EXPECT_EQ(found->by,
            "memory in use beside a watch that has caught up (Bounded.MemoryAfterCatchUp): worse "
            "than 40.0 MB");
}

TEST(Bisect, FiguresThatOverlapAreNone) {
  const BisectOptions options = OptionsOfFigures();
  int turn = 0;
  ScriptedAttempts attempts = Scripted(options, [&turn](const PlannedAttempt& planned) {
    const double noise = ++turn % 3 == 0 ? 2 : 1;
    return Measuring(1500 * noise, BuildOf(planned) == 8 ? 20 : 21);
  });
  const Result<FoundStep> found = Bisect(attempts, options);
  ASSERT_FALSE(found.has_value());
  EXPECT_THAT(found.error().message(), HasSubstr("no figure of 2 cases is worse"));
}

TEST(Bisect, LooksAtFewOfManyBuilds) {
  const BisectOptions options = Options();
  ScriptedAttempts attempts = Scripted(options, BadFrom(5));
  ASSERT_TRUE(Bisect(attempts, options).has_value());
  int looked_at = 0;
  for (int i = 0; i < kBuilds; ++i) looked_at += attempts.Made("", TargetAt(i)) > 0 ? 1 : 0;
  EXPECT_LE(looked_at, 5);
}

TEST(Bisect, ReportsEachBuildOnceItIsDecided) {
  BisectOptions options = Options();
  std::vector<std::string> reported;
  options.report = [&reported](const BuildStep& step) {
    reported.push_back(
        fmt::format("{} {}", step.name, step.state == BuildState::kBad ? "bad" : "good"));
  };
  ScriptedAttempts attempts = Scripted(options, BadFrom(6));
  ASSERT_TRUE(Bisect(attempts, options).has_value());
  EXPECT_THAT(reported, ElementsAre("etcd 3.5.8 bad", "etcd 3.5.0 good", "etcd 3.5.4 good",
                                    "etcd 3.5.6 bad", "etcd 3.5.5 good"));
}

TEST(Bisect, FindsABugThatShowsInEveryThirdAttempt) {
  const BisectOptions options = Options();
  ScriptedAttempts attempts = Scripted(options, [](const PlannedAttempt& planned) {
    return BuildOf(planned) >= 3 && planned.attempt % 3 == 0 ? Failed("Ordered") : Passed();
  });
  const Result<FoundStep> found = Bisect(attempts, options);
  ASSERT_TRUE(found.has_value()) << found.error().message();
  EXPECT_EQ(found->first_bad, 3U);
  // Luck is measured at both ends before anything is judged by it.
  EXPECT_EQ(found->steps.front().counted.trials, 30);
  EXPECT_GE(found->steps.back().counted.trials, 30);
}

TEST(Bisect, ChoosesTheCaseThatShowsItMostOften) {
  const BisectOptions options = Options({"Ordered.Seldom", "Ordered.Often"});
  ScriptedAttempts attempts = Scripted(options, [](const PlannedAttempt& planned) {
    if (BuildOf(planned) < 4) return Passed();
    const int every = planned.case_name == "Ordered.Often" ? 1 : 3;
    return planned.attempt % every == 0 ? Failed("Ordered") : Passed();
  });
  const Result<FoundStep> found = Bisect(attempts, options);
  ASSERT_TRUE(found.has_value());
  EXPECT_EQ(found->case_name, "Ordered.Often");
  EXPECT_EQ(attempts.Made("Ordered.Seldom", ""), 3);
}

TEST(Bisect, RefusesABadBuildThatDoesNotShowIt) {
  const BisectOptions options = Options();
  ScriptedAttempts attempts =
      Scripted(options, [](const PlannedAttempt&) { return Inconclusive("no fault took effect"); });
  const Result<FoundStep> found = Bisect(attempts, options);
  ASSERT_FALSE(found.has_value());
  EXPECT_THAT(found.error().message(), HasSubstr("3.5.8: it does not show in 10 attempts"));
  EXPECT_THAT(found.error().message(), HasSubstr("no fault took effect"));
  EXPECT_EQ(attempts.Made("", TargetAt(0)), 0);
}

TEST(Bisect, RefusesEndsThatAreAlike) {
  const BisectOptions options = Options();
  ScriptedAttempts attempts = Scripted(options, BadFrom(0));
  const Result<FoundStep> found = Bisect(attempts, options);
  ASSERT_FALSE(found.has_value());
  EXPECT_THAT(found.error().message(), HasSubstr("etcd 3.5.0 and etcd 3.5.8 cannot be"));
}

TEST(Bisect, CountsOnlyWhatLooksLikeTheBug) {
  BisectOptions options = Options();
  options.bug.guarantee = "Ordered";
  ScriptedAttempts attempts = Scripted(options, [](const PlannedAttempt& planned) {
    const int build = BuildOf(planned);
    return build >= 6 ? Failed("Ordered") : build >= 2 ? Failed("Unique") : Passed();
  });
  const Result<FoundStep> found = Bisect(attempts, options);
  ASSERT_TRUE(found.has_value());
  EXPECT_EQ(found->first_bad, 6U);
}

TEST(Bisect, SkipsABuildThatCannotBeMade) {
  BisectOptions options = Options();
  options.make = [](std::size_t build) {
    return build == 4 ? Fail(StatusCode::kUnavailable, "it does not compile") : Status();
  };
  ScriptedAttempts attempts = Scripted(options, BadFrom(5));
  const Result<FoundStep> found = Bisect(attempts, options);
  ASSERT_TRUE(found.has_value());
  EXPECT_EQ(found->steps[4].state, BuildState::kSkipped);
  EXPECT_EQ(found->steps[4].reason, "it does not compile");
  EXPECT_EQ(attempts.Made("", TargetAt(4)), 0);
  // Those beside it leave a gap.
  EXPECT_EQ(found->last_good, 3U);
  EXPECT_EQ(found->first_bad, 5U);
}

TEST(Bisect, SkipsABuildOnWhichNothingIsConclusive) {
  const BisectOptions options = Options();
  ScriptedAttempts attempts = Scripted(options, [](const PlannedAttempt& planned) {
    if (BuildOf(planned) == 4) return Inconclusive("too slow");
    return BadFrom(4)(planned);
  });
  const Result<FoundStep> found = Bisect(attempts, options);
  ASSERT_TRUE(found.has_value());
  EXPECT_EQ(found->steps[4].state, BuildState::kSkipped);
  EXPECT_EQ(found->steps[4].reason, "inconclusive: too slow");
  EXPECT_EQ(attempts.Made("", TargetAt(4)), 8);
}

TEST(Bisect, EndsWhereAnEndCannotBeMade) {
  BisectOptions options = Options();
  options.make = [](std::size_t) { return Fail(StatusCode::kUnavailable, "no compiler"); };
  ScriptedAttempts attempts = Scripted(options, BadFrom(5));
  const Result<FoundStep> found = Bisect(attempts, options);
  ASSERT_FALSE(found.has_value());
  EXPECT_EQ(found.error().message(), "no compiler");
  EXPECT_TRUE(attempts.planned().empty());
}

TEST(Bisect, MakesNoMoreAttemptsAfterASignal) {
  const BisectOptions options = Options();
  ScriptedAttempts attempts = Scripted(options, BadFrom(5));
  attempts.StopAfter(20);
  static_cast<void>(Bisect(attempts, options));
  EXPECT_EQ(attempts.planned().size(), 20U);
}

TEST(Bisect, RunsOneTargetThatEachBuildMakes) {
  BisectOptions options = Options();
  options.targets = {"etcd@3.5.0"};
  int made = 0;
  options.make = [&made](std::size_t build) {
    made = static_cast<int>(build);
    return Status();
  };
  ScriptedAttempts attempts = Scripted(
      options, [&made](const PlannedAttempt&) { return made >= 7 ? Failed("Ordered") : Passed(); });
  const Result<FoundStep> found = Bisect(attempts, options);
  ASSERT_TRUE(found.has_value());
  EXPECT_EQ(found->first_bad, 7U);
}

}  // namespace
}  // namespace watchproof
