// SPDX-License-Identifier: Apache-2.0
#include "harness/report/comparison.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "harness/history/json_fields.h"
#include "harness/report/testing/sample_record.h"

namespace watchproof {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

// A run of one target with some passes and failures of cases.
struct Counted {
  std::string case_name;
  int passed = 0;
  int failed = 0;
  std::string guarantee = "Ordered";
};
RunRecord RunOf(const std::string& id, const std::string& target,
                const std::vector<Counted>& cases) {
  RunRecord record = SampleRecord();
  record.id = id;
  record.targets = {{.text = target}};
  record.attempts.clear();
  for (const Counted& one : cases) {
    for (int i = 0; i < one.passed + one.failed; ++i) {
      const Verdict verdict = i < one.passed ? Verdict::kPass : Verdict::kFail;
      AttemptSummary attempt = SampleAttempt(one.case_name, target, verdict);
      for (FindingRecord& finding : attempt.result.findings) finding.guarantee = one.guarantee;
      record.attempts.push_back(std::move(attempt));
    }
  }
  return record;
}

Difference DifferenceOf(const Counted& before, const Counted& after) {
  return Compare({RunOf("a", "t", {before}), RunOf("b", "t", {after})}).rows.front().change;
}

TEST(ComparisonTest, WhatChanged) {
  EXPECT_EQ(DifferenceOf({"A.B", 10, 0}, {"A.B", 3, 0}), Difference::kNone);
  EXPECT_EQ(DifferenceOf({"A.B", 10, 0}, {"A.B", 9, 1}), Difference::kNewFailure);
  EXPECT_EQ(DifferenceOf({"A.B", 9, 1}, {"A.B", 10, 0}), Difference::kGone);
  EXPECT_EQ(DifferenceOf({"A.B", 9, 1}, {"A.B", 6, 4}), Difference::kNone);
  EXPECT_EQ(DifferenceOf({"A.B", 9, 1}, {"A.B", 0, 10}), Difference::kFailsMore);
  EXPECT_EQ(DifferenceOf({"A.B", 0, 10}, {"A.B", 9, 1}), Difference::kFailsLess);
  EXPECT_EQ(DifferenceOf({"A.B", 9, 1}, {"A.B", 9, 1, "Unique"}), Difference::kChangedFailure);
}

// The finding looked like a known bug, and does not any more.
TEST(ComparisonTest, AFailureThatNoKnownBugExplainsIsAnother) {
  RunRecord before = RunOf("a", "t", {{"A.B", 9, 1}});
  const RunRecord after = RunOf("b", "t", {{"A.B", 9, 1}});
  for (FindingRecord& finding : before.attempts.back().result.findings) {
    finding.resembles = "replayed";
  }
  EXPECT_EQ(Compare({before, after}).rows.front().change, Difference::kChangedFailure);
  EXPECT_EQ(Compare({before, before}).rows.front().change, Difference::kNone);
}

TEST(ComparisonTest, FailuresOfOneSuiteThatAreGoneTogetherAreNamed) {
  const RunComparison found =
      Compare({RunOf("a", "t", {{"A.B", 0, 2}, {"A.C", 0, 2}, {"D.E", 0, 2}}),
               RunOf("b", "t", {{"A.B", 2, 0}, {"A.C", 2, 0}, {"D.E", 2, 0}})});
  EXPECT_THAT(
      ToText(found, Rows::kChanged),
      HasSubstr("failures are gone in 2 cases of A: A.B, A.C: a fix of all, or a build that "
                "does less"));
  EXPECT_FALSE(found.Worse());
}

TEST(ComparisonTest, RunsOfOneTargetEachAreComparedWhateverTheTargetsAre) {
  const RunComparison found = Compare({RunOf("a", "etcd@3.5.15", {{"A.B", 10, 0}, {"A.C", 2, 0}}),
                                       RunOf("b", "etcd@3.5.12", {{"A.B", 0, 10}})});
  ASSERT_EQ(found.rows.size(), 2U);
  EXPECT_EQ(found.rows[0].change, Difference::kNewFailure);
  EXPECT_EQ(found.rows[1].change, Difference::kNotCompared);
  EXPECT_TRUE(found.Worse());
  const std::string text = ToText(found, Rows::kChanged);
  EXPECT_THAT(text, HasSubstr("new failure   A.B   10/10 (69-100 %)  0/10 (0-31 %)  Ordered"));
  EXPECT_THAT(text, HasSubstr("looks like etcd #15271"));
  EXPECT_THAT(text, HasSubstr("repeat     watchproof run --target etcd@3.5.12 --filter A.B"));
  EXPECT_THAT(ToMarkdown(found, Rows::kChanged),
              HasSubstr("| new failure | A.B | 10/10 (69-100 %) | 0/10 (0-31 %) | Ordered |"));
}

TEST(ComparisonTest, WithSeveralTargetsEachIsComparedWithItself) {
  RunRecord before = SampleRecord();
  RunRecord after = SampleRecord();
  after.attempts[0] = SampleAttempt("Ordered.NeverGoesBack", "embedded", Verdict::kFail);
  const RunComparison found = Compare({before, after});
  EXPECT_EQ(found.rows.front().target, "embedded");
  EXPECT_EQ(found.rows.front().change, Difference::kNewFailure);
  EXPECT_EQ(Json::parse(ToJson(found)).at("rows").size(), found.rows.size());
}

TEST(ComparisonTest, WhatIsAsBeforeIsOnlyListedOnRequest) {
  const RunRecord run = RunOf("a", "t", {{"A.B", 3, 0}});
  const RunComparison found = Compare({run, run});
  EXPECT_FALSE(found.Worse());
  EXPECT_THAT(ToText(found, Rows::kChanged), Not(HasSubstr("A.B")));
  EXPECT_THAT(ToText(found, Rows::kChanged), HasSubstr("1 row compared: 1 as before"));
  EXPECT_THAT(ToText(found, Rows::kAll), HasSubstr("as before  A.B   3/3 (29-100 %)"));
}

TEST(ComparisonTest, AStandingPromiseHeldInARunWithoutAResultOfIt) {
  const char* const promise = "StandingPromises.leases";
  const RunRecord held = RunOf("a", "t", {{"A.B", 3, 0}});
  const RunRecord broken = RunOf("b", "t", {{"A.B", 3, 0}, {promise, 0, 1}});
  EXPECT_EQ(Compare({held, broken}).rows.front().change, Difference::kNewFailure);
  EXPECT_EQ(Compare({broken, held}).rows.front().change, Difference::kGone);
  const RunRecord nothing = RunOf("c", "t", {});
  EXPECT_EQ(Compare({nothing, broken}).rows.front().change, Difference::kNotCompared);
}

}  // namespace
}  // namespace watchproof
