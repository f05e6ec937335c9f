// SPDX-License-Identifier: Apache-2.0
#include "harness/report/bugs_shown.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "harness/report/testing/sample_record.h"

namespace watchproof {
namespace {

using ::testing::ElementsAre;

AttemptSummary Known(const std::string& name, const std::string& version,
                     const std::vector<std::string>& bugs, const std::string& reason = "r") {
  AttemptSummary attempt = SampleAttempt(name, "etcd@" + version, Verdict::kFail);
  attempt.expectation = ExpectationStatus::kKnownFailure;
  attempt.result.target_version = version;
  attempt.result.known = true;
  attempt.result.bugs = bugs;
  attempt.result.reason = reason;
  return attempt;
}

std::vector<std::string> Lines(const RunRecord& record) {
  std::vector<std::string> lines;
  for (const BugRow& row : BugsShown(record)) {
    lines.push_back(
        fmt::format("{}|{}|{}|{}", row.name, Name(row.cost), row.fixed, fmt::join(row.cases, " ")));
  }
  return lines;
}

TEST(BugsShown, TheCostliestComesFirstWithAllItsCases) {
  RunRecord record;
  record.attempts = {Known("A.A", "3.5.16", {"#20065"}), Known("A.B", "3.5.16", {"#20221"}),
                     Known("A.C", "3.5.16", {"GHSA-xg4h-6gfc-h4m8", "#20221"}),
                     Known("A.B", "3.5.16", {"#20221"})};
  EXPECT_THAT(Lines(record), ElementsAre("GHSA-xg4h-6gfc-h4m8|security|3.5.33|A.C",
                                         "#20221|order|3.5.22|A.B A.C", "#20065|noise|3.5.22|A.A"));
  EXPECT_EQ(BugsShownText(record, BugsShown(record)), "4 known failures are 3 bugs");
}

TEST(BugsShown, TheFixIsOneForAllTargets) {
  RunRecord record;
  record.attempts = {Known("A.A", "3.4.23", {"#20221"}), Known("A.A", "3.5.16", {"#20221"})};
  EXPECT_THAT(Lines(record), ElementsAre("#20221|order|3.5.22|A.A"));
}

// A branch behind the last one of the key has nothing to go to; 3.4 goes to 3.5 for #22340.
TEST(BugsShown, NoFixIsNamedThatATargetCannotGoTo) {
  RunRecord record;
  record.attempts = {Known("A.A", "3.8.0", {"GHSA-xg4h-6gfc-h4m8"}),
                     Known("A.B", "3.9.0", {"GHSA-xg4h-6gfc-h4m8"}),
                     Known("A.C", "3.4.23", {"#22340"}), Known("A.C", "3.5.16", {"#22294"})};
  EXPECT_THAT(Lines(record), ElementsAre("GHSA-xg4h-6gfc-h4m8|security||A.A A.B",
                                         "#22340|outage|3.5.35|A.C", "#22294|noise||A.C"));
}

TEST(BugsShown, WhatABaselineAcceptsComesLastByItsReason) {
  RunRecord record;
  record.attempts = {
      Known("A.A", "3.5.16", {}, "accepted: ours"), Known("A.B", "3.5.16", {}, "accepted: theirs"),
      Known("A.C", "3.5.16", {}, "accepted: ours"), Known("A.D", "3.5.16", {"#20065"})};
  EXPECT_THAT(Lines(record),
              ElementsAre("#20065|noise|3.5.22|A.D", "|noise||A.A A.C", "|noise||A.B"));
  EXPECT_EQ(BugsShownText(record, BugsShown(record)), "4 known failures are 1 bug and 2 accepted");
}

TEST(BugsShown, AnOlderRunHasNumbersOnly) {
  RunRecord record = SampleRecord();
  EXPECT_THAT(Lines(record), ElementsAre("#18089|data|3.4.34|Reliable.MissesNothing"));
}

}  // namespace
}  // namespace watchproof
