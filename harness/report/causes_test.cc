// SPDX-License-Identifier: Apache-2.0
#include "harness/report/causes.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "harness/report/testing/sample_record.h"

namespace watchproof {
namespace {

using ::testing::ElementsAre;

AttemptSummary Broken(const std::string& name, const std::string& guarantee,
                      const std::string& expected, const std::string& level = "must") {
  AttemptSummary attempt = SampleAttempt(name, "embedded", Verdict::kFail);
  attempt.expectation = ExpectationStatus::kNewFailure;
  attempt.result.findings.resize(1);
  FindingRecord& finding = attempt.result.findings[0];
  finding.guarantee = guarantee;
  finding.expected = expected;
  finding.level = level;
  return attempt;
}

AttemptSummary Ended(const std::string& name, Verdict verdict, const std::string& reason) {
  AttemptSummary attempt = SampleAttempt(name, "embedded", verdict);
  attempt.result.reason = reason;
  return attempt;
}

std::vector<std::string> Lines(const std::vector<AttemptSummary>& attempts) {
  RunRecord record;
  record.attempts = attempts;
  const ReportRows rows = RowsOf(record);
  std::vector<std::string> lines;
  for (const Cause& cause : CausesOf(rows)) {
    lines.push_back(fmt::format("{}: {} {}", StyleOf(cause.outcome).word,
                                fmt::join(cause.cases, " "), cause.attempts.Text(rows)));
  }
  return lines;
}

TEST(CausesOf, KeysAndNumbersMakeNoOtherCause) {
  EXPECT_THAT(Lines({Broken("A.A", "Reliable", "key \"a/\\\"1\" at revision 12, once"),
                     Broken("A.B", "Reliable", "key \"b\" at revision 0x7f, once"),
                     Broken("A.B", "Reliable", "key \"b\" at revision 7, once"),
                     Broken("A.C", "Reliable", "no event")}),
              ElementsAre("FAIL: A.A A.B in 3 of 3 attempts", "FAIL: A.C "));
}

TEST(CausesOf, TheGravestComesFirst) {
  EXPECT_THAT(Lines({Ended("A.A", Verdict::kInconclusive, "fault stall took no effect"),
                     Ended("A.B", Verdict::kHarnessError, "no result"),
                     Broken("A.C", "Fields", "a version"), Broken("A.D", "Fields", "a version"),
                     Broken("A.E", "Reliable", "an event"),
                     Broken("A.F", "Reliable", "it", "should"), Ended("A.G", Verdict::kPass, "")}),
              ElementsAre("FAIL: A.E ", "FAIL: A.C A.D ", "FAIL: A.F ", "ERROR: A.B ",
                          "inconclusive: A.A "));
}

TEST(CausesOf, WhatLooksLikeABugHasACauseOfItsOwn) {
  AttemptSummary alike = Broken("A.B", "Reliable", "an event");
  alike.result.findings[0].resembles = "delete-at-the-floor";
  EXPECT_THAT(Lines({Broken("A.A", "Reliable", "an event"), alike}),
              ElementsAre("FAIL: A.A ", "FAIL: A.B "));
}

TEST(CausesOf, CountsAgainstAllAttemptsOfItsCases) {
  EXPECT_THAT(Lines({Broken("A.A", "Reliable", "it"), Ended("A.A", Verdict::kPass, ""),
                     Ended("A.A", Verdict::kPass, ""), Ended("A.B", Verdict::kPass, "")}),
              ElementsAre("FAIL: A.A in 1 of 3 attempts"));
}

TEST(CausesOf, WhatEndedForOneReasonIsOneCause) {
  EXPECT_THAT(Lines({Ended("A.A", Verdict::kInconclusive, "waited 3 s"),
                     Ended("A.B", Verdict::kInconclusive, "waited 12 s"),
                     Ended("A.C", Verdict::kInconclusive, "no effect")}),
              ElementsAre("inconclusive: A.A A.B ", "inconclusive: A.C "));
}

TEST(CausesSeen, NamesTheCaseThatHadTheCauseFirst) {
  const RunRecord record;
  CausesSeen seen;
  const auto first = [&](const AttemptSummary& attempt) {
    return seen.FirstWith(RowOf(record, attempt));
  };
  EXPECT_EQ(first(Broken("A.A", "Reliable", "revision 1")), "");
  EXPECT_EQ(first(Broken("A.B", "Reliable", "revision 20")), "A.A");
  EXPECT_EQ(first(Broken("A.B", "Ordered", "revision 20")), "");
  AttemptSummary elsewhere = Broken("A.A", "Reliable", "revision 1");
  elsewhere.result.target = "etcd:/usr/bin/etcd";
  EXPECT_EQ(first(elsewhere), "");
  EXPECT_EQ(first(Ended("A.C", Verdict::kPass, "")), "");
  EXPECT_EQ(first(Ended("A.D", Verdict::kPass, "")), "");
}

}  // namespace
}  // namespace watchproof
