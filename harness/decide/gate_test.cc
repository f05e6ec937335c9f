// SPDX-License-Identifier: Apache-2.0
#include "harness/decide/gate.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>

#include "harness/runs/testing/scripted_attempts.h"

namespace watchproof {
namespace {

using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;

constexpr char kBase[] = "etcd@3.5.1";
constexpr char kHead[] = "etcd@3.5.2";

bool OnHead(const PlannedAttempt& planned) { return planned.target->text == kHead; }

// A gate on scripted attempts, each of which takes two seconds of a clock that they alone move.
struct Scene {
  explicit Scene(ScriptedAttempts::Script script, std::vector<std::string> targets = {kBase, kHead})
      : attempts({"Ordered.One", "Ordered.Two", "Reliable.Three"}, targets,
                 [this, script](const PlannedAttempt& planned) {
                   clock += 2s;
                   return script(planned);
                 }) {
    options.now = [this] { return clock; };
    options.base = targets.front();
    options.head = targets.back();
  }
  Gate& Decide() {
    gate.emplace(attempts, options);
    gate->Decide();
    return *gate;
  }

  TimePoint clock{};
  ScriptedAttempts attempts;
  GateOptions options{.base = "", .head = "", .budget = 15min};
  std::optional<Gate> gate;
};

TEST(Gate, BuildsThatBothPassAreAlike) {
  Scene scene([](const PlannedAttempt&) { return Passed(); });
  const GateOutcome outcome = scene.Decide().Outcome();
  EXPECT_EQ(outcome.verdict, GateVerdict::kNotWorse);
  EXPECT_THAT(outcome.missing, IsEmpty());
  EXPECT_THAT(outcome.failures, IsEmpty());
}

TEST(Gate, StopsAsSoonAsTheHeadIsWorse) {
  Scene scene(
      [](const PlannedAttempt& planned) { return OnHead(planned) ? Failed("Ordered") : Passed(); });
  std::vector<std::string> drawn;
  scene.options.draw = [&drawn](const AttemptResult& result) {
    drawn.push_back(result.target);
    return std::string("worse.svg");
  };
  const GateOutcome outcome = scene.Decide().Outcome();
  EXPECT_EQ(outcome.verdict, GateVerdict::kWorse);
  EXPECT_LT(outcome.seconds, 60);
  ASSERT_THAT(outcome.failures, SizeIs(3));
  EXPECT_EQ(outcome.failures.front().picture, "worse.svg");
  EXPECT_THAT(drawn, ElementsAre(kHead));
}

TEST(Gate, NamesTheCaseThatTheHeadFails) {
  Scene scene([](const PlannedAttempt& planned) {
    return OnHead(planned) && planned.case_name == "Ordered.Two" ? Failed("Ordered") : Passed();
  });
  const GateOutcome outcome = scene.Decide().Outcome();
  EXPECT_EQ(outcome.verdict, GateVerdict::kWorse);
  ASSERT_THAT(outcome.failures, SizeIs(1));
  EXPECT_EQ(outcome.failures[0].attempt->result.case_name, "Ordered.Two");
}

TEST(Gate, AFailureOfBothIsNoDifference) {
  Scene scene([](const PlannedAttempt& planned) {
    return planned.case_name == "Ordered.Two" ? Failed("Ordered", "negative-start") : Passed();
  });
  EXPECT_EQ(scene.Decide().Outcome().verdict, GateVerdict::kNotWorse);
}

TEST(Gate, WhatOnlyTheBaseFailsIsGone) {
  Scene scene([](const PlannedAttempt& planned) {
    return !OnHead(planned) && planned.case_name == "Ordered.Two" ? Failed("Ordered") : Passed();
  });
  const GateOutcome outcome = scene.Decide().Outcome();
  EXPECT_EQ(outcome.verdict, GateVerdict::kNotWorse);
  EXPECT_THAT(outcome.gone, ElementsAre("Ordered.Two"));
}

TEST(Gate, AShortBudgetLeavesItUndecided) {
  Scene scene([](const PlannedAttempt&) { return Passed(); });
  scene.options.budget = 10s;
  const GateOutcome outcome = scene.Decide().Outcome();
  EXPECT_EQ(outcome.verdict, GateVerdict::kNeedsMore);
  EXPECT_THAT(outcome.missing, ElementsAre(HasSubstr("more pairs of 3 cases, such as")));
  EXPECT_LE(scene.attempts.planned().size(), 8U);
}

TEST(Gate, UsesAllOfItsTimeForMorePairs) {
  Scene scene([](const PlannedAttempt&) { return Passed(); });
  EXPECT_GE(scene.Decide().Outcome().seconds, 15 * 60);
}

TEST(Gate, TheHalvesOfAPairHaveOnePlan) {
  Scene scene([](const PlannedAttempt&) { return Passed(); });
  scene.Decide();
  std::map<std::pair<std::string, int>, std::set<std::uint64_t>> seeds;
  std::set<std::string> first;
  const auto& planned = scene.attempts.planned();
  for (std::size_t i = 0; i < planned.size(); ++i) {
    seeds[{planned[i].case_name, planned[i].attempt}].insert(planned[i].seed);
    if (i % 2 == 0) first.insert(planned[i].target->text);
  }
  for (const auto& [pair, of_pair] : seeds) EXPECT_THAT(of_pair, SizeIs(1)) << pair.first;
  // Which begins is drawn.
  EXPECT_THAT(first, ElementsAre(kBase, kHead));
}

TEST(Gate, OneTargetIsNeverWorseThanItself) {
  Scene scene(
      [](const PlannedAttempt& planned) {
        return planned.seed % 5 == 0 ? Failed("Ordered") : Passed();
      },
      {kBase});
  EXPECT_NE(scene.Decide().Outcome().verdict, GateVerdict::kWorse);
  std::map<std::pair<std::string, int>, std::set<std::uint64_t>> seeds;
  for (const PlannedAttempt& one : scene.attempts.planned()) {
    seeds[{one.case_name, (one.attempt + 1) / 2}].insert(one.seed);
  }
  for (const auto& [pair, of_pair] : seeds) EXPECT_THAT(of_pair, SizeIs(1)) << pair.first;
}

TEST(Gate, GivesUpOnATargetThatNeverStarts) {
  Scene scene([](const PlannedAttempt& planned) {
    return OnHead(planned) ? NeverStarted("no such file") : Passed();
  });
  int explored = 0;
  scene.options.explore = [&explored](GateTrial&, TimePoint) {
    ++explored;
    return GateExplored();
  };
  Gate& gate = scene.Decide();
  EXPECT_EQ(gate.NeverStarted(), fmt::format("{} never started: no such file", kHead));
  EXPECT_LE(scene.attempts.planned().size(), 32U);
  EXPECT_EQ(explored, 1) << "before the first attempt";
}

TEST(Gate, ACaseThatIsNeverDecidedOnTheHeadIsMissing) {
  Scene scene([](const PlannedAttempt& planned) {
    const bool lost = OnHead(planned) && planned.case_name == "Reliable.Three";
    return lost ? Inconclusive("too slow") : Passed();
  });
  const GateOutcome outcome = scene.Decide().Outcome();
  EXPECT_EQ(outcome.verdict, GateVerdict::kNeedsMore);
  EXPECT_THAT(outcome.missing, ElementsAre(HasSubstr("Reliable.Three: decided on the base")));
  EXPECT_THAT(outcome.missing, ElementsAre(HasSubstr("inconclusive: too slow")));
}

TEST(Gate, ExploresForAShareOfTheTimeAndInWhatIsLeftOfIt) {
  Scene scene([](const PlannedAttempt&) { return Passed(); });
  std::vector<TimePoint> until;
  std::vector<std::size_t> attempts;
  Duration left{};
  scene.options.explore = [&](GateTrial&, TimePoint end) {
    until.push_back(end);
    attempts.push_back(scene.attempts.planned().size());
    left = end - scene.clock;
    if (until.size() == 1) scene.clock = end;
    return GateExplored{.scripts = 40, .shared = 2};
  };
  const GateOutcome outcome = scene.Decide().Outcome();
  EXPECT_THAT(until, ElementsAre(TimePoint{} + 3min, TimePoint{} + 15min));
  EXPECT_EQ(attempts.front(), 0U);
  EXPECT_GT(left, 4min);
  EXPECT_EQ(outcome.verdict, GateVerdict::kNotWorse);
  EXPECT_THAT(outcome.explored, HasSubstr("40 scripts on the head"));
  EXPECT_THAT(outcome.explored, HasSubstr("2 kinds of findings on both, 0 on the head alone"));
}

TEST(Gate, ScriptsThatOnlyTheHeadFailsMakeItWorse) {
  Scene scene([](const PlannedAttempt&) { return Passed(); });
  scene.options.explore = [](GateTrial& trial, TimePoint) {
    for (int i = 0; i < 24; ++i) trial.AddScript(1, false, true);
    GateExplored explored;
    explored.found.push_back({.number = 1, .guarantee = "Ordered", .pairs = trial.script(1)});
    return explored;
  };
  const GateOutcome outcome = scene.Decide().Outcome();
  EXPECT_EQ(outcome.verdict, GateVerdict::kWorse);
  EXPECT_THAT(outcome.scripts, SizeIs(1));
}

TEST(Gate, AFindingWithoutTimeToCompareIsMissing) {
  Scene scene([](const PlannedAttempt&) { return Passed(); });
  scene.options.explore = [](GateTrial&, TimePoint) {
    return GateExplored{
        .not_alone = 3, .unexamined = 1, .ended = Fail(StatusCode::kUnavailable, "no free port")};
  };
  const GateOutcome outcome = scene.Decide().Outcome();
  EXPECT_EQ(outcome.verdict, GateVerdict::kNeedsMore);
  EXPECT_THAT(outcome.missing, Contains(HasSubstr("1 finding of the exploration")));
  EXPECT_THAT(outcome.explored, HasSubstr("3 that did not show again; ended early: no free port"));
}

TEST(Gate, DoesNotExploreAServerThatOthersUse) {
  Scene scene([](const PlannedAttempt&) { return Passed(); }, {"endpoint:127.0.0.1:2379", kHead});
  scene.options.explore = [](GateTrial&, TimePoint) {
    ADD_FAILURE() << "explored";
    return GateExplored();
  };
  EXPECT_EQ(scene.Decide().Outcome().verdict, GateVerdict::kNotWorse);
}

TEST(Gate, ASignalEndsIt) {
  Scene scene([](const PlannedAttempt&) { return Passed(); });
  scene.attempts.StopAfter(10);
  int explored = 0;
  scene.options.explore = [&explored](GateTrial&, TimePoint) {
    ++explored;
    return GateExplored();
  };
  scene.Decide();
  EXPECT_EQ(explored, 1) << "not once it was stopped";
  EXPECT_THAT(scene.attempts.planned(), SizeIs(10));
}

TEST(Gate, MoreTimeFindsMore) {
  Scene scene([](const PlannedAttempt&) { return Passed(); });
  scene.options.budget = 1min;
  const Gate brief(scene.attempts, scene.options);
  scene.options.budget = 1h;
  const Gate thorough(scene.attempts, scene.options);
  const auto power = [](const Gate& gate) { return gate.PowerIf(2).back().found; };
  EXPECT_LT(power(brief), power(thorough));
}

}  // namespace
}  // namespace watchproof
