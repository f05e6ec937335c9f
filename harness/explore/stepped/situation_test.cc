// SPDX-License-Identifier: Apache-2.0
#include "harness/script/situation.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "harness/explore/situation_coverage.h"
#include "harness/explore/stepped/explorer.h"

namespace watchproof::explore {
namespace {

using ::testing::Contains;
using ::testing::IsEmpty;
using ::testing::Not;

Place Head(std::int64_t plus) { return {Place::From::kHead, plus}; }

std::vector<Row> SeenIn(const std::vector<Step>& steps) {
  return RunScript({.steps = steps}, {}).features.situations.seen();
}

// A watch is behind once something is written that it waits for, and its client has not seen it.
TEST(SituationsUnderVirtualTime, BehindIsWhatAClientMisses) {
  const Create filtered{.key = "b", .id = 1, .options = {.no_put = true}};
  const Situation behind{.watch = WatchPhase::kBehind,
                         .other = WatchPhase::kFuture,
                         .filter = FilterKind::kNoPut,
                         .own_id = true,
                         .meanwhile = Action::kCompact};
  const Step future = Create{.key = "b", .start = Head(9), .id = 2};
  const std::vector<Step> steps = {Put{.key = "b"}, filtered, future, Receive{1, 9}};
  const auto after = [&](const Step& written) {
    std::vector<Step> all = steps;
    all.insert(all.end(), {written, Compact{}});
    return SeenIn(all);
  };
  EXPECT_THAT(after(Delete{.key = "b"}), Contains(ToRow(behind)));
  EXPECT_THAT(after(Put{.key = "b"}), Not(Contains(ToRow(behind))));
  EXPECT_THAT(after(Delete{.key = "a/1"}), Not(Contains(ToRow(behind))));
}

TEST(SituationsUnderVirtualTime, AStepOfAnotherStreamMeetsNothing) {
  const std::vector<Step> watches = {Create{.id = 1}, Create{.id = 2}, Receive{1, 9}};
  std::vector<Step> same = watches, another = watches;
  same.push_back(Cancel{1, 2});
  another.push_back(Cancel{2, 2});
  EXPECT_EQ(SeenIn(same).size(), SeenIn(another).size() + 2);
}

// Every row under virtual time: the script leads to what it is for, and shows no finding.
TEST(SituationsUnderVirtualTime, ScriptsLeadToTheirSituations) {
  Combinations triples(SituationModel(), 3);
  Prng prng(1);
  while (const auto row = triples.NextRow(prng)) {
    triples.Add(*row);
    const Script script = ScriptFor(ToSituation(*row), prng);
    const std::string text = ToText(script);
    const ScriptRun shown = RunScript(script, {});
    EXPECT_THAT(shown.findings, IsEmpty()) << text;
    ASSERT_THAT(shown.features.situations.seen(), Contains(*row)) << text;
  }
}

// What drawn scripts come upon is what the model says can be.
TEST(SituationsUnderVirtualTime, WhatIsSeenIsAllowed) {
  Explorer explorer({.seed = 3});
  for (int i = 0; i < 500; ++i) explorer.Next();
  for (const Script& script : explorer.corpus().scripts()) {
    const ScriptRun shown = RunScript(script, {});
    for (const Row& row : shown.features.situations.seen()) {
      ASSERT_TRUE(SituationModel().allows(row)) << ToText(script);
    }
  }
}

TEST(SituationCoverageTest, AsksAgainForWhatWasNotReached) {
  SituationCoverage coverage;
  Prng prng(1);
  std::size_t asked = 0;
  while (coverage.Next(prng)) ++asked;
  EXPECT_TRUE(coverage.over());
  SituationCoverage reached;
  std::size_t needed = 0;
  while (const auto script = reached.Next(prng)) {
    ++needed;
    reached.Reached(RunScript(*script, {}).features.situations.seen());
  }
  EXPECT_GT(asked, 2 * needed);
  EXPECT_EQ(reached.pairs().count(), reached.pairs().possible());
  EXPECT_EQ(reached.triples().count(), reached.triples().possible());
}

}  // namespace
}  // namespace watchproof::explore
