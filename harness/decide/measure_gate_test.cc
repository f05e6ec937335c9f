// SPDX-License-Identifier: Apache-2.0
#include "harness/decide/measure_gate.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "harness/runs/testing/scripted_attempts.h"

namespace watchproof {
namespace {

using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;

constexpr char kBase[] = "etcd@3.6.9";
constexpr char kHead[] = "etcd@3.6.8";
constexpr char kLaggard[] = "Available.PutsBesideLaggard";
constexpr char kKept[] = "Bounded.MemoryAfterCatchUp";

AttemptResult Figures(std::vector<Measured> measured) {
  AttemptResult result = Passed();
  result.measured = std::move(measured);
  return result;
}

bool OnHead(const PlannedAttempt& planned) { return planned.target->text == kHead; }

// Each attempt takes ten seconds of a clock that they alone move.
struct Measuring {
  explicit Measuring(ScriptedAttempts::Script script,
                     std::vector<std::string> targets = {kBase, kHead})
      : attempts({kLaggard, kKept, "Ordered.SingleKey"}, targets,
                 [this, script](const PlannedAttempt& planned) {
                   clock += 10s;
                   return script(planned);
                 }) {
    options.now = [this] { return clock; };
    options.base = targets.front();
    options.head = targets.back();
  }
  MeasureOutcome Decide() {
    gate.emplace(attempts, options);
    gate->Decide();
    return gate->Outcome();
  }

  TimePoint clock{};
  ScriptedAttempts attempts;
  MeasureGateOptions options{.base = "",
                             .head = "",
                             .budget = 10min,
                             .measures = {Measure::kMemory, Measure::kPuts, Measure::kDelay}};
  std::optional<MeasureGate> gate;
};

AttemptResult Alike(const PlannedAttempt& planned) {
  if (planned.case_name == kKept) return Figures({{"kept", "a watch", {20, 21, 20}, {20, 20, 20}}});
  return Figures({{"puts", "a watch far behind", {700, 800}, {3000, 3100}}});
}

TEST(MeasureGate, BuildsThatAreAlikeAreNotWorse) {
  Measuring measuring(&Alike);
  const MeasureOutcome outcome = measuring.Decide();
  EXPECT_EQ(GateVerdict::kNotWorse, outcome.verdict) << ToText(outcome);
  EXPECT_EQ(0, measuring.attempts.Made("Ordered.SingleKey", {}));
  EXPECT_EQ(measuring.attempts.Made(kKept, kBase), measuring.attempts.Made(kKept, kHead));
}

TEST(MeasureGate, ComparesInManyShortAttempts) {
  Measuring measuring([](const PlannedAttempt& planned) {
    EXPECT_EQ(3, planned.turns);
    return Alike(planned);
  });
  measuring.Decide();
}

TEST(MeasureGate, FollowsWhatLooksWorseAndNamesIt) {
  Measuring measuring([](const PlannedAttempt& planned) {
    AttemptResult result = Alike(planned);
    if (OnHead(planned) && planned.case_name == kLaggard) result.measured[0].with = {500, 550};
    return result;
  });
  const MeasureOutcome outcome = measuring.Decide();
  EXPECT_EQ(GateVerdict::kWorse, outcome.verdict);
  EXPECT_LT(outcome.seconds, 300);
  EXPECT_THAT(ToText(outcome), HasSubstr("puts per second beside a watch far behind\n"
                                         "    750 /s on the base, 525 /s on the head: 1.43 times"));
  EXPECT_EQ(1, measuring.attempts.Made(kKept, kHead));
}

// Where several look alike, the one that is decided soonest.
TEST(MeasureGate, FollowsTheShorterOfTwoThatLookWorse) {
  Measuring measuring([](const PlannedAttempt& planned) {
    AttemptResult result = Alike(planned);
    result.seconds = planned.case_name == kLaggard ? 20 : 2;
    for (Measured& one : result.measured) {
      for (double& value : one.with) value *= !OnHead(planned) ? 1 : one.of == "puts" ? 0.5 : 2;
    }
    return result;
  });
  EXPECT_EQ(GateVerdict::kWorse, measuring.Decide().verdict);
  EXPECT_EQ(1, measuring.attempts.Made(kLaggard, kHead));
  EXPECT_THAT(ToText(measuring.gate->Outcome()), Not(HasSubstr("puts per second")));
}

TEST(MeasureGate, LooksAtNothingButTheMeasuresThatWereAskedFor) {
  Measuring measuring([](const PlannedAttempt& planned) {
    AttemptResult result = Alike(planned);
    if (OnHead(planned)) result.measured.push_back({"resident", "a watch", {900}, {900}});
    if (!OnHead(planned)) result.measured.push_back({"resident", "a watch", {100}, {100}});
    return result;
  });
  measuring.options.measures = {Measure::kPuts};
  EXPECT_EQ(GateVerdict::kNotWorse, measuring.Decide().verdict);
  EXPECT_EQ(0, measuring.attempts.Made(kKept, {}));
}

TEST(MeasureGate, OneBuildAgainstItselfPairsNeighbours) {
  Measuring measuring(&Alike, {kBase});
  const MeasureOutcome outcome = measuring.Decide();
  EXPECT_EQ(GateVerdict::kNotWorse, outcome.verdict);
  EXPECT_EQ(10, measuring.attempts.Made(kKept, {}));
}

TEST(MeasureGate, ASmallBudgetNeedsMore) {
  Measuring measuring(&Alike);
  measuring.options.budget = 30s;
  const MeasureOutcome outcome = measuring.Decide();
  EXPECT_EQ(GateVerdict::kNeedsMore, outcome.verdict);
  EXPECT_THAT(outcome.missing, Contains(HasSubstr("more pairs of Bounded.MemoryAfterCatchUp")));
}

TEST(MeasureGate, WhatOneBuildDoesNotMeasureIsMissing) {
  Measuring measuring([](const PlannedAttempt& planned) {
    const bool refuses = OnHead(planned) && planned.case_name == kKept;
    return refuses ? Inconclusive("no metrics") : Alike(planned);
  });
  const MeasureOutcome outcome = measuring.Decide();
  EXPECT_EQ(GateVerdict::kNeedsMore, outcome.verdict);
  EXPECT_THAT(outcome.missing, ElementsAre(HasSubstr("nothing was measured on both")));
  EXPECT_EQ(3, measuring.attempts.Made(kKept, kHead));
}

TEST(MeasureGate, WhatTakesTimeDoesNotCountOnABusyMachine) {
  Measuring measuring([](const PlannedAttempt& planned) {
    AttemptResult result = Alike(planned);
    if (OnHead(planned) && planned.case_name == kLaggard) result.measured[0].with = {100};
    result.measured.push_back({std::string(kElsewhere), "", {0.5}, {0}});
    return result;
  });
  const MeasureOutcome outcome = measuring.Decide();
  EXPECT_EQ(GateVerdict::kNeedsMore, outcome.verdict);
  EXPECT_THAT(outcome.missing, Contains(HasSubstr("the machine was busy with other things in")));
  EXPECT_EQ(3, measuring.attempts.Made(kLaggard, kHead));
}

TEST(MeasureGate, ATargetThatNeverStartsEndsIt) {
  Measuring measuring([](const PlannedAttempt& planned) {
    return OnHead(planned) ? NeverStarted("no such file") : Alike(planned);
  });
  measuring.Decide();
  EXPECT_EQ(std::string(kHead) + " never started: no such file", measuring.gate->NeverStarted());
  EXPECT_EQ(3, measuring.attempts.Made({}, kHead));
}

TEST(MeasureGate, WhatIsBetterOnTheHeadIsNotWorse) {
  Measuring measuring([](const PlannedAttempt& planned) {
    AttemptResult result = Alike(planned);
    if (OnHead(planned) && planned.case_name == kLaggard) result.measured[0].with = {2000, 2100};
    return result;
  });
  EXPECT_EQ(GateVerdict::kNotWorse, measuring.Decide().verdict);
}

}  // namespace
}  // namespace watchproof
