// SPDX-License-Identifier: Apache-2.0
#include "harness/decide/repeated.h"

#include <gtest/gtest.h>

#include "harness/runs/testing/scripted_attempts.h"

namespace watchproof {
namespace {

TEST(Repeated, CountsFailuresAndThoseWithTheSameGuarantee) {
  RunRecord record;
  for (const AttemptResult& result : {Passed(), Failed("Ordered"), Failed("Unique"),
                                      Inconclusive("too slow"), Failed("Ordered")}) {
    record.attempts.push_back({.result = result, .expectation = ExpectationStatus::kAsExpected});
  }
  const Repeated again = CountRepeated(record, "Ordered");
  EXPECT_EQ(again.failed, 3);
  EXPECT_EQ(again.alike, 2);
  EXPECT_EQ(again.passed, 1);
}

TEST(Repeated, AFindingOfWhatOnlyProvesNothingCountsForNothing) {
  RunRecord record;
  AttemptResult result = Failed("Ordered");
  result.verdict = Verdict::kInconclusive;
  record.attempts.push_back({.result = result, .expectation = ExpectationStatus::kAsExpected});
  const Repeated again = CountRepeated(record, "Ordered");
  EXPECT_EQ(again.failed + again.alike + again.passed, 0);
}

}  // namespace
}  // namespace watchproof
