// SPDX-License-Identifier: Apache-2.0
#include "harness/report/standing.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "harness/report/rows.h"
#include "harness/report/testing/sample_record.h"

namespace watchproof {
namespace {

using ::testing::HasSubstr;

FindingRecord On(const std::string& promise) {
  return {.guarantee = "Linearizable",
          .watch = "client direct",
          .expected = "3 keys",
          .observed = "0 keys",
          .standing = promise};
}

// A target with cases that pass; all but one show the same broken promise.
RunRecord Broken() {
  RunRecord record = SampleRecord();
  record.attempts.clear();
  for (const char* name : {"Ordered.NeverGoesBack", "Reliable.MissesNothing", "Unique.NoTwins"}) {
    record.attempts.push_back(SampleAttempt(name, "embedded", Verdict::kPass));
  }
  record.attempts[1].result.standing = {On("leases")};
  record.attempts[2].result.standing = {On("leases")};
  return record;
}

TEST(StandingTest, IsOneFailureOfTheTarget) {
  RunRecord record = Broken();
  RenewBrokenPromises(record);
  ASSERT_EQ(record.attempts.size(), 4U);
  const AttemptSummary& failure = record.attempts.back();
  EXPECT_EQ(failure.result.case_name, "StandingPromises.leases");
  EXPECT_EQ(OutcomeOf(failure), Outcome::kFail);
  EXPECT_EQ(failure.result.folder, record.attempts[1].result.folder);
  EXPECT_THAT(failure.result.findings.front().watch, HasSubstr("in 2 of 3 cases"));
  EXPECT_EQ(CountOutcomes(record)[Outcome::kPass], 3);
  EXPECT_EQ(record.cases.back().name, "StandingPromises.leases");
  // The case that shows it can be run; the promise cannot.
  EXPECT_THAT(RowOf(record, failure).repeat, HasSubstr("Reliable.MissesNothing"));
}

TEST(StandingTest, WhereACaseFailsItselfItCountsToo) {
  RunRecord record = Broken();
  record.attempts[0] = SampleAttempt("Ordered.NeverGoesBack", "embedded", Verdict::kFail);
  record.attempts[0].result.findings.push_back(On("leases"));
  EXPECT_THAT(BrokenPromises(record.attempts).front().findings.front().watch,
              HasSubstr("in 3 of 3 cases"));
}

TEST(StandingTest, EachPromiseAndTargetIsOne) {
  RunRecord record = Broken();
  record.attempts[2].result.standing.push_back(On("read-of-every-key"));
  AttemptSummary other = SampleAttempt("Unique.NoTwins", "etcd:/usr/bin/etcd", Verdict::kPass);
  other.result.standing = {On("leases")};
  record.attempts.push_back(other);
  EXPECT_EQ(BrokenPromises(record.attempts).size(), 3U);
}

TEST(StandingTest, RenewedTheyReplaceTheFormerOnesAndStayKnown) {
  RunRecord record = Broken();
  RenewBrokenPromises(record);
  record.attempts.back().result.known = true;
  record.attempts[0].result.standing = {On("leases")};
  RenewBrokenPromises(record);
  ASSERT_EQ(record.attempts.size(), 4U);
  EXPECT_EQ(OutcomeOf(record.attempts.back()), Outcome::kKnown);
  EXPECT_THAT(record.attempts.back().result.findings.front().watch, HasSubstr("in 3 of 3 cases"));
}

}  // namespace
}  // namespace watchproof
