// SPDX-License-Identifier: Apache-2.0
#include "harness/report/saved_run.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "harness/report/testing/sample_record.h"

namespace watchproof {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

constexpr char kTarget[] = "embedded";

CaseSummary NameOnly(const std::string& name) {
  return {.name = name, .requirement = {}, .level = {}, .file = {}};
}

// Shard `index` of three of A.A, B.B and C.C, one each, with the verdict of its attempt; without
// one, it was killed before the attempt ended.
RunRecord Part(int index, std::optional<Verdict> verdict, const std::string& id) {
  const std::vector<std::string> cases = {"A.A", "B.B", "C.C"};
  RunRecord run;
  run.id = id;
  run.folder = "runs/" + id;
  run.seed = "0x5";
  run.started = "2026-01-14T10:15:00Z";
  run.versions = {{"commit", "abc"}};
  run.targets = {{.text = kTarget}};
  run.shard =
      ShardSummary{.index = index, .count = 3, .cut = "hash", .cases = cases, .targets = {kTarget}};
  const std::string& mine = cases[static_cast<std::size_t>(index - 1)];
  run.cases = {NameOnly(mine)};
  run.plan.only = {{mine, kTarget, 1}};
  if (verdict) {
    run.attempts.push_back(SampleAttempt(mine, kTarget, *verdict));
  } else {
    run.interrupted = "killed";
    run.not_run.push_back({.case_name = mine, .target = kTarget, .seed = "0x5"});
  }
  return run;
}

RunRecord Join(std::vector<RunRecord> runs) {
  Result<RunRecord> all = JoinShards(std::move(runs), "merged", NameOnly);
  EXPECT_TRUE(all.has_value()) << all.error().message();
  return all.value_or(RunRecord());
}

std::string WhyNot(const RunRecord& other) {
  const auto all = JoinShards({Part(1, Verdict::kPass, "a"), other}, "merged", NameOnly);
  return all.has_value() ? "joined" : std::string(all.error().message());
}

TEST(JoinShards, AllOfThemAreTheWhole) {
  const RunRecord all = Join({Part(3, Verdict::kPass, "c"), Part(1, Verdict::kPass, "a"),
                              Part(2, Verdict::kInconclusive, "b")});
  EXPECT_EQ(all.id, "merged");
  EXPECT_EQ(all.attempts.size(), 3U);
  EXPECT_EQ(all.cases.size(), 3U);
  EXPECT_THAT(all.incomplete, IsEmpty());
  EXPECT_THAT(all.shard_notes, IsEmpty());
  EXPECT_THAT(all.not_run, IsEmpty());
  EXPECT_THAT(Sentence(all), HasSubstr("Undecided: 2 passed, 1 inconclusive"));
}

TEST(JoinShards, AMissingOneIsNamedWithWhatItLeaves) {
  const RunRecord all = Join({Part(1, Verdict::kPass, "a"), Part(3, Verdict::kPass, "c")});
  EXPECT_THAT(all.incomplete,
              ElementsAre("shard 2/3 is missing; 1 attempt has no result, such as B.B on "
                          "embedded"));
  ASSERT_EQ(all.not_run.size(), 1U);
  EXPECT_EQ(all.not_run[0].case_name, "B.B");
  EXPECT_THAT(Sentence(all), HasSubstr("Incomplete: 2 passed, 1 not run"));
}

TEST(JoinShards, SeveralMissingOnesAreRanges) {
  std::vector<RunRecord> runs = {Part(1, Verdict::kPass, "a"), Part(3, Verdict::kPass, "c")};
  for (RunRecord& run : runs) run.shard->count = 9;
  EXPECT_THAT(Join(runs).incomplete.front(),
              HasSubstr("shards 2, 4-9 of 9 are missing; 1 attempt"));
}

TEST(JoinShards, AKilledOneIsNamedWithItsFolder) {
  const RunRecord all = Join(
      {Part(1, Verdict::kPass, "a"), Part(2, std::nullopt, "b"), Part(3, Verdict::kPass, "c")});
  EXPECT_THAT(all.incomplete, ElementsAre("shard 2/3 was killed (runs/b); 1 attempt has no result, "
                                          "such as B.B on embedded"));
  EXPECT_EQ(all.interrupted, "");
  RunRecord early = Part(2, std::nullopt, "b");
  early.plan.only.clear();  // before its plan was written
  EXPECT_THAT(Join({Part(1, Verdict::kPass, "a"), early, Part(3, Verdict::kPass, "c")}).incomplete,
              ElementsAre("shard 2/3 was killed (runs/b)",
                          "of what no shard has planned, 1 attempt has no result, such as B.B "
                          "on embedded"));
}

TEST(JoinShards, OneThatRanAgainIsCompleteAndNamed) {
  const RunRecord all = Join({Part(2, Verdict::kPass, "d"), Part(1, Verdict::kPass, "a"),
                              Part(2, std::nullopt, "b"), Part(3, Verdict::kPass, "c")});
  EXPECT_EQ(all.attempts.size(), 3U);
  EXPECT_THAT(all.incomplete, IsEmpty());
  EXPECT_THAT(all.shard_notes, ElementsAre("shard 2/3 has 2 runs: was killed (runs/b), ended with "
                                           "exit code 0 (runs/d)"));
}

// Whichever ran first.
TEST(JoinShards, NoSecondRunHidesAFailureAndAnyVerdictIsBetterThanNone) {
  struct Row {
    Verdict one, other, counts;
  };
  using enum Verdict;
  for (const Row& row : {Row{kFail, kPass, kFail}, Row{kHarnessError, kPass, kPass},
                         Row{kInconclusive, kPass, kPass}, Row{kHarnessError, kFail, kFail}}) {
    for (const auto& [first, second] :
         {std::pair(row.one, row.other), std::pair(row.other, row.one)}) {
      const RunRecord all = Join(
          {Part(1, kPass, "a"), Part(2, first, "b"), Part(2, second, "c"), Part(3, kPass, "d")});
      ASSERT_EQ(all.attempts.size(), 3U);
      EXPECT_EQ(all.attempts[1].result.verdict, row.counts);
      EXPECT_THAT(all.shard_notes[0], HasSubstr("1 attempt with two results"));
    }
  }
}

TEST(JoinShards, WhatWasNotFetchedIsNoReasonToBeIncomplete) {
  RunRecord part = Part(2, std::nullopt, "b");
  part.interrupted.clear();
  part.not_run[0].outcome = Outcome::kNotFetched;
  const RunRecord all = Join({Part(1, Verdict::kPass, "a"), part, Part(3, Verdict::kPass, "c")});
  EXPECT_THAT(all.incomplete, IsEmpty());
  EXPECT_EQ(CountOutcomes(all)[Outcome::kNotFetched], 1);
}

TEST(JoinShards, WithoutAnEndOneThatWasKilledIsNamed) {
  std::vector<RunRecord> runs = {Part(1, Verdict::kPass, "a"), Part(2, Verdict::kPass, "b"),
                                 Part(3, Verdict::kPass, "c")};
  for (RunRecord& run : runs) {
    run.shard->repeat = 0;
    run.plan.only.clear();
  }
  EXPECT_THAT(Join(runs).incomplete, IsEmpty());
  runs[1].interrupted = "terminated";
  EXPECT_THAT(Join(runs).incomplete, ElementsAre("shard 2/3 was terminated (runs/b)"));
}

TEST(JoinShards, OfOneRunOnly) {
  RunRecord other = Part(2, Verdict::kPass, "b");
  EXPECT_EQ(WhyNot(other), "joined");
  other.seed = "0x6";
  EXPECT_THAT(WhyNot(other), HasSubstr("their seeds are 0x5 and 0x6; expected one --seed"));
  other = Part(2, Verdict::kPass, "b");
  other.shard->count = 4;
  EXPECT_THAT(WhyNot(other), HasSubstr("one is of 3 shards, the other of 4"));
  other = Part(2, Verdict::kPass, "b");
  other.shard->cut = "durations 1";
  EXPECT_THAT(WhyNot(other), HasSubstr("other durations"));
  other = Part(2, Verdict::kPass, "b");
  other.shard->cases.pop_back();
  EXPECT_THAT(WhyNot(other), HasSubstr("runs/a and runs/b are no shards of one run: their cases"));
  other = Part(2, Verdict::kPass, "b");
  other.versions = {{"commit", "other"}};
  EXPECT_THAT(WhyNot(other), HasSubstr("other builds of watchproof"));
  other.shard.reset();
  EXPECT_THAT(WhyNot(other), HasSubstr("runs/b: expected a run with --shard"));
}

}  // namespace
}  // namespace watchproof
