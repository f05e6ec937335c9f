// SPDX-License-Identifier: Apache-2.0
#include "harness/runs/exit_code.h"

#include <gtest/gtest.h>

namespace watchproof {
namespace {

AttemptSummary With(Outcome outcome) {
  AttemptSummary note;
  note.result.verdict = Verdict::kPass;
  switch (outcome) {
    case Outcome::kPass:
      break;
    case Outcome::kKnown:
      note.expectation = ExpectationStatus::kKnownFailure;
      break;
    case Outcome::kFail:
      note.expectation = ExpectationStatus::kNewFailure;
      break;
    case Outcome::kRegression:
      note.expectation = ExpectationStatus::kRegression;
      break;
    case Outcome::kFixedEarly:
      note.expectation = ExpectationStatus::kFixedEarly;
      break;
    case Outcome::kUnsupported:
      note.result.verdict = Verdict::kUnsupported;
      break;
    case Outcome::kDeclared:
      note.result.declared = true;
      [[fallthrough]];
    case Outcome::kInconclusive:
      note.result.verdict = Verdict::kInconclusive;
      break;
    case Outcome::kTargetFailed:
      note.result.target_failed = true;
      [[fallthrough]];
    case Outcome::kHarnessError:
      note.result.verdict = Verdict::kHarnessError;
      break;
    case Outcome::kNotFetched:
    case Outcome::kNotRun:
      break;
  }
  return note;
}

struct Row {
  const char* what;
  std::vector<Outcome> outcomes;
  ExitCode expected;
  const char* interrupted = "";
  Strict strict = Strict::kYes;
  bool stale = false;
};

void ExpectCodes(const std::vector<Row>& rows) {
  for (const Row& row : rows) {
    RunRecord record;
    for (const Outcome outcome : row.outcomes) {
      if (outcome == Outcome::kNotFetched) {
        record.not_run.push_back({.outcome = outcome});
      } else {
        record.attempts.push_back(With(outcome));
      }
    }
    record.interrupted = row.interrupted;
    if (row.stale) record.stale.emplace_back("an entry");
    EXPECT_EQ(Decide(record, row.strict), row.expected) << row.what;
  }
}

TEST(ExitCodes, TheFirstOfTheOrderWins) {
  using enum Outcome;
  const std::vector<Row> rows = {
      {"nothing in an empty shard", {}, ExitCode::kOk},
      {"all pass", {kPass, kPass}, ExitCode::kOk},
      {"pass and known", {kPass, kKnown}, ExitCode::kOk},
      {"only known", {kKnown}, ExitCode::kOk},
      {"as declared", {kPass, kDeclared}, ExitCode::kOk},
      {"pass and unsupported", {kPass, kUnsupported}, ExitCode::kOk},
      {"all unsupported", {kUnsupported, kUnsupported}, ExitCode::kInconclusive},
      {"nothing was fetched", {kNotFetched, kNotFetched}, ExitCode::kInconclusive},
      {"pass and not fetched", {kPass, kNotFetched}, ExitCode::kOk},
      {"known and unsupported", {kKnown, kUnsupported}, ExitCode::kOk},
      {"inconclusive", {kPass, kInconclusive}, ExitCode::kInconclusive},
      {"fixed early", {kFixedEarly}, ExitCode::kStaleExpectations},
      {"fixed early before inconclusive",
       {kFixedEarly, kInconclusive},
       ExitCode::kStaleExpectations},
      {"not strict", {kFixedEarly}, ExitCode::kOk, "", Strict::kNo},
      {"not strict, inconclusive",
       {kFixedEarly, kInconclusive},
       ExitCode::kInconclusive,
       "",
       Strict::kNo},
      {"dead entry", {kPass}, ExitCode::kStaleExpectations, "", Strict::kYes, true},
      {"dead entry, not strict", {kPass}, ExitCode::kOk, "", Strict::kNo, true},
      {"no target before stale", {kTargetFailed, kFixedEarly}, ExitCode::kTarget},
      {"failure before no target", {kFail, kTargetFailed}, ExitCode::kFailed},
      {"failure before everything of the target's",
       {kFail, kInconclusive, kFixedEarly, kKnown},
       ExitCode::kFailed},
      {"interrupted before harness error",
       {kHarnessError, kFail},
       ExitCode::kInterrupted,
       "interrupted"},
      {"terminated", {kPass}, ExitCode::kTerminated, "terminated"},
  };
  ExpectCodes(rows);
}

// They say nothing about a failure that was recorded, unless too many attempts ended so.
TEST(ExitCodes, FewHarnessErrorsHideNoFailure) {
  using enum Outcome;
  ExpectCodes({
      {"many harness errors before failure", {kHarnessError, kFail}, ExitCode::kInternal},
      {"failure before one harness error in ten attempts",
       {kHarnessError, kFail, kPass, kPass, kPass, kPass, kPass, kPass, kPass, kPass},
       ExitCode::kFailed},
      {"one more is too many",
       {kHarnessError, kRegression, kPass, kPass, kPass, kPass, kPass, kPass, kPass},
       ExitCode::kInternal},
      {"what was not fetched is no attempt",
       {kHarnessError, kFail, kPass, kPass, kPass, kPass, kPass, kPass, kPass, kNotFetched},
       ExitCode::kInternal},
      {"a harness error without a failure",
       {kHarnessError, kPass, kPass, kPass, kPass, kPass, kPass, kPass, kPass, kPass, kPass},
       ExitCode::kInternal},
      {"harness error before no target",
       {kHarnessError, kTargetFailed, kPass, kPass, kPass, kPass, kPass, kPass, kPass, kPass},
       ExitCode::kInternal},
  });
}

TEST(ExitCodes, WhatShardsLackIsUndecided) {
  RunRecord record{.attempts = {With(Outcome::kPass)}, .incomplete = {"shard 2/3 is missing"}};
  EXPECT_EQ(Decide(record, Strict::kYes), ExitCode::kInconclusive);
  record.attempts.push_back(With(Outcome::kFail));
  EXPECT_EQ(Decide(record, Strict::kYes), ExitCode::kFailed);
}

// A defect that Ordered must catch: what became of it, and of the clean store.
ExitCode WithDefect(Outcome clean, Outcome planted, const char* guarantee) {
  RunRecord record;
  record.targets = {{.text = "embedded"}, {.text = "embedded+d"}};
  record.defects = {{.name = "d", .target = "embedded+d", .guarantees = {"Ordered"}}};
  record.attempts = {With(clean), With(planted)};
  record.attempts[0].result.target = "embedded";
  record.attempts[1].result.target = "embedded+d";
  if (planted == Outcome::kKnown) {
    record.attempts[1].result.findings.push_back({.guarantee = guarantee});
  }
  return Decide(record, Strict::kYes);
}

TEST(ExitCodes, DefectsMustBeCaughtByTheirGuarantees) {
  using enum Outcome;
  EXPECT_EQ(WithDefect(kPass, kKnown, "Ordered"), ExitCode::kOk);
  EXPECT_EQ(WithDefect(kPass, kKnown, "Unique"), ExitCode::kFailed);
  EXPECT_EQ(WithDefect(kPass, kPass, ""), ExitCode::kFailed);
  EXPECT_EQ(WithDefect(kPass, kInconclusive, ""), ExitCode::kFailed);
  EXPECT_EQ(WithDefect(kInconclusive, kKnown, "Ordered"), ExitCode::kInconclusive);
  EXPECT_EQ(WithDefect(kFail, kKnown, "Ordered"), ExitCode::kFailed);
  EXPECT_EQ(WithDefect(kPass, kHarnessError, ""), ExitCode::kInternal);
}

TEST(ExitCodes, NumbersAreAPublicContract) {
  EXPECT_EQ(static_cast<int>(ExitCode::kOk), 0);
  EXPECT_EQ(static_cast<int>(ExitCode::kFailed), 1);
  EXPECT_EQ(static_cast<int>(ExitCode::kInconclusive), 2);
  EXPECT_EQ(static_cast<int>(ExitCode::kTarget), 3);
  EXPECT_EQ(static_cast<int>(ExitCode::kUsage), 4);
  EXPECT_EQ(static_cast<int>(ExitCode::kNothingSelected), 5);
  EXPECT_EQ(static_cast<int>(ExitCode::kStaleExpectations), 6);
  EXPECT_EQ(static_cast<int>(ExitCode::kInternal), 70);
  EXPECT_EQ(static_cast<int>(ExitCode::kInterrupted), 130);
  EXPECT_EQ(static_cast<int>(ExitCode::kTerminated), 143);
}

}  // namespace
}  // namespace watchproof
