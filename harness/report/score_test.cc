// SPDX-License-Identifier: Apache-2.0
#include "harness/report/score.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "harness/report/testing/sample_record.h"

namespace watchproof {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

constexpr const char* kTarget = "etcd:/usr/bin/etcd";

FindingRecord Breaking(const std::string& clause) {
  return {.guarantee = "Ordered", .clause = clause, .observed = "another revision"};
}

// One attempt of each case that the contract names.
RunRecord Whole() {
  RunRecord record = SampleRecord();
  record.attempts.clear();
  for (const Clause& clause : Contract::BuiltIn().clauses()) {
    for (std::string name : clause.cases) {
      if (name.ends_with("*")) name.back() = 'A';
      record.attempts.push_back(SampleAttempt(name, kTarget, Verdict::kPass));
    }
    record.attempts.front().result.exercise.asked.insert(
        record.attempts.front().result.exercise.asked.end(), clause.promises.begin(),
        clause.promises.end());
  }
  return record;
}

const ClauseScore& Of(const Score& score, std::string_view id) {
  return *std::ranges::find(score.clauses, id, [](const auto& one) { return one.clause->id; });
}
void Break(RunRecord& record, const std::string& case_name, const std::string& clause) {
  for (AttemptSummary& attempt : record.attempts) {
    if (attempt.result.case_name != case_name) continue;
    attempt.result.verdict = Verdict::kFail;
    attempt.result.findings = {Breaking(clause)};
  }
}

TEST(Score, OfAStoreThatKeepsEverythingIsAHundredAndReachesEachLevel) {
  const Score score = ScoreOf(Whole(), kTarget);
  EXPECT_EQ(score.minor, 4);
  EXPECT_DOUBLE_EQ(score.points, 100);
  for (const ReachScore& level : score.levels) EXPECT_TRUE(level.missing.empty());
  EXPECT_THAT(BadgeOf(score), HasSubstr("Full etcd 100/100"));
  EXPECT_THAT(ToText(score), Not(HasSubstr("not reached")));
  for (const ClauseScore& one : score.clauses) EXPECT_TRUE(one.clause->Binds(4));
}

TEST(Score, AClauseOfAnotherProfileCountsOnlyWhereItIsShown) {
  RunRecord record = Whole();
  std::erase_if(record.attempts, [](const AttemptSummary& attempt) {
    return Contract::BuiltIn().Find("S-18")->TestedBy(attempt.result.case_name);
  });
  const Score without = ScoreOf(record, kTarget);
  EXPECT_DOUBLE_EQ(without.points, 100);
  EXPECT_EQ(without.clauses.size() + 1, ScoreOf(Whole(), kTarget).clauses.size());
  RunRecord broken = Whole();
  Break(broken, "Bounded.MemoryAfterCatchUp", "S-18");
  EXPECT_LT(ScoreOf(broken, kTarget).points, 100);
}

TEST(Score, AFindingBreaksItsClauseAloneAndTheLevelsThatNeedIt) {
  RunRecord record = Whole();
  Break(record, "Leased.A", "L-1");
  const Score score = ScoreOf(record, kTarget);
  EXPECT_LT(score.points, 100);
  EXPECT_EQ(score.Count(Kept::kBroken), 1);
  const ClauseScore& broken = Of(score, "L-1");
  EXPECT_EQ(broken.kept, Kept::kBroken);
  EXPECT_EQ(broken.finding, 1U);
  EXPECT_TRUE(score.levels.front().missing.empty()) << "it is about watches";
  EXPECT_FALSE(score.levels.back().missing.empty());
  EXPECT_THAT(ToText(score), HasSubstr("#1 Leased.A: another revision"));
  EXPECT_THAT(BadgeOf(score), HasSubstr("Kubernetes-safe"));
}

// By what breaks it, in ten lines at most, and once for all levels.
TEST(Score, NamesTheCausesThatKeepATargetFromALevel) {
  RunRecord record = Whole();
  const auto fails = [&record](const std::string& case_name,
                               const std::vector<std::string>& clauses,
                               const std::string& signature = "") {
    AttemptSummary attempt = SampleAttempt(case_name, kTarget, Verdict::kFail);
    attempt.result.findings.clear();
    for (const std::string& clause : clauses) {
      attempt.result.findings.push_back(Breaking(clause));
      attempt.result.findings.back().signature = signature;
    }
    record.attempts.push_back(attempt);
  };
  fails("Bookmarkable.B", {"W-6"}, "etcd #15220: progress answers too early");
  fails("Reliable.B", {"W-4", "W-5"});
  fails("Leased.A", {"L-1"}, "etcd #15220: not what breaks it");
  fails("Leased.B", {"L-1"});
  const std::string text = ToText(ScoreOf(record, kTarget));
  EXPECT_THAT(text, HasSubstr("  W-4 W-5      #2 Reliable.B: another revision\n"
                              "  W-6          data, #15220 (#1): progress answers"));
  EXPECT_THAT(text, HasSubstr("  1 above, and\n  L-1          #5 Leased.B: another revision\n"));
  int number = 0;
  for (const Clause* const clause : Contract::BuiltIn().Of(Contract::BuiltIn().reaches().front())) {
    fails("Ordered." + std::to_string(++number), {clause->id});
  }
  const std::string many = ToText(ScoreOf(record, kTarget));
  const std::size_t begin = many.find("not reached");
  const std::string first = many.substr(begin, many.find("\n\n", begin) - begin);
  EXPECT_THAT(first, HasSubstr("more causes"));
  EXPECT_EQ(std::ranges::count(first, '\n'), 10);
}

TEST(Score, TargetsWithOneLabelHaveTheirSpecsInIt) {
  RunRecord record = Whole();
  const std::string label = ScoreOf(record, kTarget).label;
  record.targets = {{.text = kTarget, .name = "etcd"}, {.text = "etcd:/other", .name = "etcd"}};
  EXPECT_EQ(ScoreOf(record, kTarget).label, label) << "nothing ran on the other";
  AttemptSummary other = record.attempts.front();
  other.result.target = "etcd:/other";
  record.attempts.push_back(other);
  EXPECT_EQ(ScoreOf(record, kTarget).label, label + " (etcd:/usr/bin/etcd)");
  record.attempts.back().result.target_version = "3.9.9";
  EXPECT_EQ(ScoreOf(record, kTarget).label, label);
}

TEST(Score, WhatAFindingMayHideIsNotKept) {
  RunRecord record = SampleRecord();
  record.attempts = {SampleAttempt("Bookmarkable.AfterStall", kTarget, Verdict::kFail)};
  record.attempts.front().result.findings = {
      {.guarantee = "Bookmarkable", .clause = "W-6", .observed = "an event"}};
  EXPECT_EQ(Of(ScoreOf(record, kTarget), "W-6").kept, Kept::kBroken);
  EXPECT_EQ(Of(ScoreOf(record, kTarget), "W-14").kept, Kept::kNotShown) << "tested, and hidden";
  record.attempts.push_back(
      SampleAttempt("Bookmarkable.MixedStream", kTarget, Verdict::kUnsupported));
  EXPECT_EQ(Of(ScoreOf(record, kTarget), "W-14").kept, Kept::kNotShown) << "it is offered";
  record.attempts.push_back(SampleAttempt("Bookmarkable.AfterStall", kTarget, Verdict::kPass));
  EXPECT_EQ(Of(ScoreOf(record, kTarget), "W-14").kept, Kept::kKept);
}

TEST(Score, WhatIsNotOfferedOrNotShownIsNotKept) {
  RunRecord record = Whole();
  for (AttemptSummary& attempt : record.attempts) {
    const std::string& name = attempt.result.case_name;
    if (name.starts_with("Fragmented.")) attempt.result.verdict = Verdict::kUnsupported;
    if (name.starts_with("Exclusive.")) attempt.result.verdict = Verdict::kInconclusive;
  }
  const Score score = ScoreOf(record, kTarget);
  EXPECT_EQ(Of(score, "W-10").kept, Kept::kNotOffered);
  EXPECT_EQ(Of(score, "X-1").kept, Kept::kNotShown);
  EXPECT_THAT(BadgeOf(score), Not(HasSubstr("Full etcd")));
  for (AttemptSummary& attempt : record.attempts) attempt.result.hindered = true;
  EXPECT_EQ(Of(ScoreOf(record, kTarget), "W-10").kept, Kept::kNotShown) << "not for the target";
}

TEST(Score, AnyAttemptMayShowWhatAGuaranteeSaysAndWhatIsAskedFor) {
  RunRecord record = SampleRecord();
  record.attempts = {SampleAttempt("Reliable.A", kTarget, Verdict::kPass)};
  EXPECT_EQ(Of(ScoreOf(record, kTarget), "W-10").kept, Kept::kNotShown);
  EXPECT_EQ(Of(ScoreOf(record, kTarget), "M-12").kept, Kept::kNotShown);
  Exercise& exercise = record.attempts.front().result.exercise;
  exercise.opportunities["Fragmented"] = 1;
  exercise.asked = {"status"};
  EXPECT_EQ(Of(ScoreOf(record, kTarget), "W-10").kept, Kept::kKept);
  EXPECT_EQ(Of(ScoreOf(record, kTarget), "W-31").kept, Kept::kNotShown) << "a part of it";
  EXPECT_EQ(Of(ScoreOf(record, kTarget), "M-12").kept, Kept::kKept);
}

TEST(Score, AReleaseHasItsKnownBugsWhateverARunShows) {
  RunRecord record = Whole();
  record.targets = {{.text = "etcd@3.4.23", .product = "etcd", .release = "3.4.23"}};
  for (AttemptSummary& attempt : record.attempts) {
    attempt.result.target = "etcd@3.4.23";
    attempt.result.target_version = "3.4.23";
  }
  const Score score = ScoreOf(record, "etcd@3.4.23");
  const ClauseScore& early = Of(score, "W-6");  // progress that comes before events
  EXPECT_EQ(early.kept, Kept::kBroken);
  EXPECT_EQ(early.finding, 0U);
  EXPECT_EQ(early.bug, "#15220");
  EXPECT_THAT(ToText(score), HasSubstr("  W-6 "));
  EXPECT_THAT(ToText(score), HasSubstr("#15220 (known of this release): progress answers"));
  EXPECT_THAT(ToText(score), HasSubstr("behaves most like etcd 3."));
  EXPECT_EQ(Of(score, "W-10").kept, Kept::kKept);
  record.flags["--target-profile"] = {.value = "kubernetes"};
  EXPECT_EQ(Of(ScoreOf(record, "etcd@3.4.23"), "W-6").kept, Kept::kKept) << "perhaps not asked for";
  record.targets.front().profile = "kubernetes";
  EXPECT_EQ(Of(ScoreOf(record, "etcd@3.4.23"), "W-6").kept, Kept::kBroken)
      << "it is asked as usual";
  record.flags.clear();
  std::erase_if(record.attempts, [](const AttemptSummary& attempt) {
    const auto& shown = AnswerKey::FindBug("#15220")->shown;
    return std::ranges::count(shown, attempt.result.case_name, &ShownBy::case_name) > 0;
  });
  EXPECT_EQ(Of(ScoreOf(record, "etcd@3.4.23"), "W-6").bug, "") << "not asked for";
  record.targets = {{.text = "etcd:/usr/bin/etcd", .product = "etcd"}};
  for (AttemptSummary& attempt : record.attempts) attempt.result.target = "etcd:/usr/bin/etcd";
  EXPECT_EQ(Of(ScoreOf(record, "etcd:/usr/bin/etcd"), "W-6").kept, Kept::kKept)
      << "what another built may have it mended";
}

TEST(Score, WithoutAnAttemptNothingIsKept) {
  RunRecord record = SampleRecord();
  record.attempts.clear();
  const Score score = ScoreOf(record, kTarget);
  EXPECT_DOUBLE_EQ(score.points, 0);
  EXPECT_THAT(BadgeOf(score), HasSubstr("no level 0/100"));
}

}  // namespace
}  // namespace watchproof
