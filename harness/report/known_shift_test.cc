// SPDX-License-Identifier: Apache-2.0
#include "harness/report/known_shift.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace watchproof {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

AttemptResult With(std::size_t findings, const std::string& resembles = "lost") {
  AttemptResult result;
  result.case_name = "A.B";
  result.target = "etcd@3.5.1";
  result.verdict = findings == 0 ? Verdict::kPass : Verdict::kFail;
  for (std::size_t i = 0; i < findings; ++i) {
    FindingRecord finding;
    finding.guarantee = "Reliable";
    finding.resembles = resembles;
    finding.signature = resembles.empty() ? "" : "etcd #7: " + resembles;
    result.findings.push_back(std::move(finding));
  }
  return result;
}

KnownCounts Of(const std::vector<AttemptResult>& results) {
  KnownCounts counts;
  for (const AttemptResult& result : results) counts.Add(result);
  return counts;
}

TEST(ManyMore, EveryAttemptHasFiveTimesTheMostOfTheControlAndTenMore) {
  EXPECT_THAT(ManyMore(Of({With(2), With(3)}), Of({With(20), With(40)})),
              ElementsAre("A.B: 20 to 40 findings in an attempt that look like etcd #7: lost, 2 to "
                          "3 in the control"));
  EXPECT_THAT(ManyMore(Of({With(3)}), Of({With(14)})), IsEmpty());
  EXPECT_THAT(ManyMore(Of({With(1)}), Of({With(10)})), IsEmpty());
  EXPECT_THAT(ManyMore(Of({With(2), With(5)}), Of({With(20), With(40)})), IsEmpty());
  EXPECT_THAT(ManyMore(Of({With(2)}), Of({With(20), With(5)})), IsEmpty());
}

TEST(ManyMore, NothingIsSaidOfWhatTheControlDoesNotShow) {
  EXPECT_THAT(ManyMore(Of({With(0)}), Of({With(40)})), IsEmpty());
  EXPECT_THAT(ManyMore(Of({With(2, "other")}), Of({With(40)})), IsEmpty());
  EXPECT_THAT(ManyMore(Of({With(2, "")}), Of({With(40, "")})), IsEmpty());
}

TEST(GoneTogether, NamesSeveralCasesOfASuite) {
  EXPECT_THAT(GoneTogether({"A.B", "C.D", "A.E", "A.B"}), ElementsAre("2 cases of A: A.B, A.E"));
  EXPECT_THAT(GoneTogether({"A.B", "A.B", "C.D"}), IsEmpty());
}

TEST(KnownShifts, NameTheTargetAndItsControl) {
  RunRecord record;
  record.targets = {{.text = "etcd@3.5.1"}, {.text = "etcd@3.5.2"}};
  const auto add = [&record](AttemptResult result, const std::string& target,
                             ExpectationStatus status) {
    result.target = target;
    record.attempts.push_back({.result = std::move(result), .expectation = status, .begin = 0});
  };
  add(With(2), "etcd@3.5.1", ExpectationStatus::kKnownFailure);
  add(With(30), "etcd@3.5.2", ExpectationStatus::kKnownFailure);
  for (const char* name : {"D.E", "D.F"}) {
    AttemptResult passed = With(0);
    passed.case_name = name;
    add(passed, "etcd@3.5.2", ExpectationStatus::kFixedEarly);
  }
  EXPECT_THAT(KnownShifts(record),
              ElementsAre("etcd@3.5.2 passes 2 cases of D: D.E, D.F. Each shows a known bug of it: "
                          "a fix, or a build that does less",
                          "etcd@3.5.2 against etcd@3.5.1: A.B: 30 findings in an attempt that look "
                          "like etcd #7: lost, 2 in the control"));
}

}  // namespace
}  // namespace watchproof
