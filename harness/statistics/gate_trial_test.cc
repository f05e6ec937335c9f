// SPDX-License-Identifier: Apache-2.0
#include "harness/statistics/gate_trial.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fmt/format.h>

#include "harness/statistics/gate_simulation.h"

namespace watchproof {
namespace {

const AttemptEnd kPass{.conclusive = true};
const AttemptEnd kFail{.conclusive = true, .broken = {{"Ordered", {""}}}};
const AttemptEnd kNothing{.reason = "the fault did not take effect"};

std::vector<GateCase> Cases(int count) {
  std::vector<GateCase> cases;
  for (int i = 0; i < count; ++i) cases.push_back({.name = fmt::format("A.C{}", i)});
  return cases;
}

// Runs a literal answer for each case until the trial is no longer open.
using Answer = std::pair<AttemptEnd, AttemptEnd>;
int RunToTheEnd(GateTrial& trial, const std::map<std::size_t, Answer>& answers) {
  int pairs = 0;
  while (trial.state() == GateState::kOpen && pairs < 10'000) {
    for (const NextPair& pair : trial.Next(8)) {
      const auto found = answers.find(pair.index);
      const Answer answer = found == answers.end() ? Answer(kPass, kPass) : found->second;
      trial.Add(pair.index, answer.first, answer.second);
      ++pairs;
    }
  }
  return pairs;
}

TEST(GateTrialTest, FourPairsOfEachCaseAreEnoughWhenNothingFails) {
  GateTrial trial(Cases(100), {"Ordered"});
  EXPECT_EQ(RunToTheEnd(trial, {}), 400);
  EXPECT_EQ(trial.state(), GateState::kNotWorse);
  EXPECT_DOUBLE_EQ(trial.evidence(), 1);
}

TEST(GateTrialTest, PairsToGoAreThoseThatItThenTakes) {
  GateTrial trial(Cases(10), {"Ordered"});
  trial.Add(0, kPass, kPass);
  trial.Add(1, kPass, kFail);
  trial.Add(1, kFail, kPass);
  const std::size_t to_go = trial.PairsToGo();
  EXPECT_EQ(RunToTheEnd(trial, {}), to_go);
  EXPECT_EQ(trial.PairsToGo(), 0U);
}

TEST(GateTrialTest, ACaseThatAlwaysFailsOnTheHeadIsFoundInARoundAndAHandfulOfPairs) {
  GateTrial trial(Cases(100), {"Ordered", "Unique"});
  EXPECT_LE(RunToTheEnd(trial, {{57, {kPass, kFail}}}), 100);
  EXPECT_EQ(trial.state(), GateState::kWorse);
  EXPECT_GE(trial.cases()[57].pairs.against, 10);
  EXPECT_EQ(trial.all().in_favour, 0);
}

TEST(GateTrialTest, WhatAlsoFailsOnTheBaseIsNoDifference) {
  GateTrial trial(Cases(10), {"Ordered"});
  RunToTheEnd(trial, {{3, {kFail, kFail}}, {4, {kFail, kPass}}});
  EXPECT_EQ(trial.state(), GateState::kNotWorse);
}

TEST(GateTrialTest, OneMoreBrokenGuaranteeInACaseThatFailsAnywayIsADifference) {
  GateTrial trial(Cases(10), {"Ordered", "Unique"});
  RunToTheEnd(
      trial, {{3, {kFail, {.conclusive = true, .broken = {{"Ordered", {""}}, {"Unique", {""}}}}}}});
  EXPECT_EQ(trial.state(), GateState::kWorse);
}

TEST(GateTrialTest, OneFailureForAnotherIsADifferenceOfTheGuarantee) {
  GateTrial trial(Cases(2), {"Ordered", "Unique"});
  for (int i = 0; i < 20; ++i) {
    trial.Next(1);
    trial.Add(0, kFail, {.conclusive = true, .broken = {{"Unique", {""}}}});
  }
  EXPECT_EQ(trial.all().alike, 20);
  EXPECT_EQ(trial.guarantees().at("Unique").against, 20);
  EXPECT_EQ(trial.state(), GateState::kWorse);
}

TEST(GateTrialTest, AnAttemptThatProvesNothingIsNoEvidence) {
  GateTrial trial(Cases(2), {"Ordered"});
  EXPECT_LE(RunToTheEnd(trial, {{1, {kPass, kNothing}}}), 8);
  EXPECT_EQ(trial.state(), GateState::kLost);
  EXPECT_TRUE(trial.cases()[1].lost());
  EXPECT_EQ(trial.cases()[1].head_reason, "the fault did not take effect");
  GateTrial both(Cases(2), {"Ordered"});
  RunToTheEnd(both, {{1, {kNothing, kNothing}}});
  EXPECT_EQ(both.state(), GateState::kNotWorse);
  EXPECT_TRUE(both.cases()[1].in_vain());
}

TEST(GateTrialTest, ACaseWithLuckGetsMorePairs) {
  std::vector<GateCase> cases = Cases(2);
  cases[1].lucky = true;
  GateTrial trial(cases, {"Ordered"});
  RunToTheEnd(trial, {});
  EXPECT_EQ(trial.cases()[0].tried, 4);
  EXPECT_GE(trial.cases()[1].tried, 16);
}

AttemptEnd Shows(const std::set<std::string>& bugs) {
  return {.conclusive = true, .broken = {{"Ordered", bugs}}};
}

TEST(GateTrialTest, ABugOfBothBuildsIsNoReasonToAskForPairsWithoutEnd) {
  GateTrial trial(Cases(2), {"Ordered"});
  RunToTheEnd(trial, {{0, {Shows({"late"}), Shows({"late"})}}});
  // More often on the head, as luck has it.
  for (int i = 0; i < 3; ++i) trial.Add(1, kPass, Shows({"late"}));
  EXPECT_EQ(trial.state(), GateState::kNotWorse);
  const CaseState& one = trial.cases()[1];
  EXPECT_EQ(one.head_failed, 3);
  EXPECT_EQ(one.head_other, 0);
  EXPECT_EQ(one.pairs.against, 3);
  EXPECT_EQ(one.shared, std::set<std::string>{"late"});
}

TEST(GateTrialTest, ThatTheBaseHasABugTooCountsForThePairsBefore) {
  GateTrial trial(Cases(2), {"Ordered"});
  for (int i = 0; i < 4; ++i) trial.Add(0, kPass, Shows({"late"}));
  EXPECT_FALSE(trial.cases()[0].excluded);
  EXPECT_TRUE(trial.cases()[0].suspect());
  trial.Add(1, Shows({"late"}), kPass);
  EXPECT_TRUE(trial.cases()[0].excluded);
  EXPECT_FALSE(trial.cases()[0].suspect());
}

TEST(GateTrialTest, ABugOfBothBuildsThatTheHeadShowsFarMoreOftenIsWorse) {
  GateTrial trial(Cases(2), {"Ordered"});
  EXPECT_LE(RunToTheEnd(trial, {{0, {kPass, Shows({"late"})}}, {1, {kPass, kPass}}}), 40);
  EXPECT_EQ(trial.state(), GateState::kWorse);
  GateTrial shared(Cases(2), {"Ordered"});
  shared.Add(1, Shows({"late"}), kPass);
  for (int i = 0; i < 20; ++i) shared.Add(0, kPass, Shows({"late"}));
  EXPECT_EQ(shared.state(), GateState::kWorse);
}

TEST(GateTrialTest, WhatABugOfBothDoesNotExplainCounts) {
  GateTrial trial(Cases(1), {"Ordered"});
  trial.Add(0, Shows({"late"}), Shows({"late"}));
  for (int i = 0; i < 4; ++i) trial.Add(0, kPass, Shows({"late", ""}));
  trial.Add(0, kPass, Shows({"late", "of the head"}));
  EXPECT_EQ(trial.cases()[0].other_pairs.against, 5);
  EXPECT_EQ(trial.cases()[0].head_other, 5);
  EXPECT_TRUE(trial.cases()[0].suspect());
}

TEST(GateTrialTest, AScriptThatOnlyTheHeadFailsIsEnoughAlone) {
  GateTrial trial(Cases(100), {"Ordered"});
  int pairs = 0;
  for (; trial.state() == GateState::kOpen && pairs < 100; ++pairs) {
    trial.AddScript(1, false, true);
  }
  EXPECT_EQ(pairs, 12);
  GateTrial shared(Cases(100), {"Ordered"});
  for (int i = 0; i < 100; ++i) shared.AddScript(1, true, true);
  EXPECT_NEAR(shared.evidence(), 1, 1e-9);
}

// Builds that are the same, with all the luck that cases may have.
std::vector<SimulatedCase> SameBuild(std::size_t cases) {
  std::vector<SimulatedCase> made(cases);
  const double rates[] = {1, 1, 1, 0.02, 0.05, 0.1, 0.3, 0.5};
  for (std::size_t i = 0; i < std::size(rates); ++i) {
    made[i].base_fails = made[i].head_fails = rates[i];
  }
  return made;
}

TEST(GateSimulationTest, OfFourHundredGatesOverAnUnchangedBuildAtMostTwoSayWorse) {
  Prng prng(400);
  int worse = 0;
  int not_worse = 0;
  for (int i = 0; i < 400; ++i) {
    const SimulatedGate gate = Simulate(SameBuild(100), {.seconds = 600}, prng);
    worse += gate.state == GateState::kWorse ? 1 : 0;
    not_worse += gate.state == GateState::kNotWorse ? 1 : 0;
  }
  RecordProperty("worse", worse);
  RecordProperty("not_worse", not_worse);
  EXPECT_LE(worse, 2);
  EXPECT_GE(not_worse, 300);
}

TEST(GateSimulationTest, WhatIsFoundInAQuarterOfAnHour) {
  const std::vector<Power> table = PowerOf(100, 2, {});
  for (const Power& row : table) {
    RecordProperty(fmt::format("fails {}", row.fails),
                   fmt::format("{} of {}, {:.0f} s", row.found, row.gates, row.median_seconds));
  }
  EXPECT_EQ(table[0].found, table[0].gates);
  EXPECT_LT(table[0].median_seconds, 120);
  EXPECT_GE(table[1].found, 85);  // one attempt of two
  EXPECT_GE(table[2].found, 40);  // one of five
}

TEST(GateSimulationTest, WhatIsRareInEveryCaseIsFoundInAllTogether) {
  std::vector<SimulatedCase> cases(100, {.head_fails = 0.02});
  Prng prng(50);
  int found = 0;
  for (int i = 0; i < 100; ++i) {
    found += Simulate(cases, {}, prng).state == GateState::kWorse ? 1 : 0;
  }
  EXPECT_GE(found, 95);
}

}  // namespace
}  // namespace watchproof
