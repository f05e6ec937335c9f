// SPDX-License-Identifier: Apache-2.0
#include "harness/results/baseline.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "harness/results/expectations.h"

namespace watchproof {
namespace {

using testing::HasSubstr;

AttemptResult Failed(const std::string& version = "3.5.12") {
  AttemptResult failed{
      .case_name = "Resumable.GoAway", .target = "command:run it", .verdict = Verdict::kFail};
  failed.target_version = version;
  failed.started = "2027-01-31T23:59:59Z";
  failed.findings = {{.guarantee = "Reliable"}};
  return failed;
}

AcceptedFailure Entry(const std::string& fields) {
  auto entries = ParseBaseline("[[accepted]]\nreason = \"our fork\"\n" + fields);
  EXPECT_TRUE(entries.has_value()) << entries.error().message();
  return entries->front();
}

TEST(Baseline, AcceptsWhatEveryFieldFits) {
  for (const char* fits : {"case = \"Resumable.*\"", "case = \"*\"\ntarget = \"command:*\"",
                           "case = \"*\"\nversions = [\"3.5 < 3.5.13\"]",
                           "case = \"*\"\nguarantees = [\"Reliable\"]"}) {
    EXPECT_TRUE(Entry(fits).Accepts(Failed())) << fits;
  }
  for (const char* fits_not :
       {"case = \"Reliable.*\"", "case = \"*\"\ntarget = \"etcd*\"",
        "case = \"*\"\nversions = [\"3.5 < 3.5.12\"]", "case = \"*\"\nguarantees = [\"Unique\"]"}) {
    EXPECT_FALSE(Entry(fits_not).Accepts(Failed())) << fits_not;
  }
  EXPECT_FALSE(Entry("case = \"*\"\nversions = [\"3.5\"]").Accepts(Failed("unknown")));
}

TEST(Baseline, MakesANewFailureKnownUntilItsLastDay) {
  Expectations expectations = Expectations::BuiltIn();
  const TargetSpec target{.text = "command:run it"};
  AttemptResult failed = Failed();
  EXPECT_EQ(expectations.Apply(target, failed), ExpectationStatus::kNewFailure);
  expectations.Accept({Entry("case = \"*\"\nowner = \"storage\"\nuntil = \"2027-01-31\"")});
  EXPECT_EQ(expectations.Apply(target, failed), ExpectationStatus::kKnownFailure);
  EXPECT_TRUE(failed.known);
  EXPECT_EQ(failed.reason, "accepted by storage, until 2027-01-31: our fork");
  AttemptResult later = Failed();
  later.started = "2027-02-01T00:00:00Z";
  EXPECT_EQ(expectations.Apply(target, later), ExpectationStatus::kNewFailure);
  EXPECT_FALSE(later.known);
}

TEST(Baseline, DoesNotHideABugThatIsBack) {
  Expectations expectations = Expectations::BuiltIn();
  expectations.Accept({Entry("case = \"*\"")});
  AttemptResult failed = Failed("3.5.30");
  failed.case_name = "CompactionSurfaced.FullQueue";
  failed.findings = {{.guarantee = "CompactionSurfaced", .resembles = "silent-after-compaction"}};
  EXPECT_EQ(expectations.Apply({.text = failed.target, .product = "etcd"}, failed),
            ExpectationStatus::kRegression);
}

TEST(Baseline, NamesTheLineAndWhatWasExpected) {
  const auto error = [](const std::string& text) {
    const auto parsed = ParseBaseline(text);
    return parsed.has_value() ? "none" : std::string(parsed.error().message());
  };
  EXPECT_THAT(error("[[accepted]]\ncase = \"*\"\n"), HasSubstr("expected 'reason'"));
  const std::string entry = "[[accepted]]\ncase = \"*\"\nreason = \"r\"\n";
  EXPECT_THAT(error(entry + "untill = \"2027-01-31\"\n"), HasSubstr("unknown field 'untill'"));
  for (const char* day : {"2027-02-30", "tomorrow", "2027-1-31"}) {
    EXPECT_THAT(error(entry + fmt::format("until = \"{}\"\n", day)),
                HasSubstr("line 4: expected 'until' with a day"));
  }
  EXPECT_THAT(error(entry + "versions = [\"3.6\", \"3.5\"]\n"), HasSubstr("in the order"));
}

}  // namespace
}  // namespace watchproof
