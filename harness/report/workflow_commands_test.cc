// SPDX-License-Identifier: Apache-2.0
#include "harness/report/workflow_commands.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "harness/report/testing/sample_record.h"

namespace watchproof {
namespace {

using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;

bool Always(const std::string&) { return true; }
bool Never(const std::string&) { return false; }

std::size_t LinesIn(const std::string& text) {
  return static_cast<std::size_t>(std::count(text.begin(), text.end(), '\n'));
}

TEST(Folded, HasTheFirstLineAsTitle) {
  EXPECT_EQ(Folded("FAIL A.B\n  why\n"), "::group::FAIL A.B\n  why\n::endgroup::\n");
  EXPECT_EQ(Folded("pass A.B\n"), "pass A.B\n");
  EXPECT_EQ(Folded(""), "");
}

TEST(Folded, NoTextOfAStoreIsACommand) {
  const std::string text = Folded("FAIL\n  ::add-path::/tmp\nkey ##[add-path]/tmp\n::x::\n");
  EXPECT_THAT(text, StartsWith("::group::FAIL\n|   ::add-path::/tmp\n| key # #[add-path]/tmp\n"));
  EXPECT_THAT(text, HasSubstr("\n| ::x::\n"));
}

TEST(Annotations, PointAtTheCaseAndNameTheFailure) {
  const std::string text = Annotations(SampleRecord(), Always);
  EXPECT_THAT(text, StartsWith("::error file=cases/x.cc,line=7,title=FAIL%3A "));
  EXPECT_THAT(text, HasSubstr("::Ordered: expected a revision of at least 799"));
  EXPECT_THAT(text, HasSubstr("%0Arepeat: "));
  EXPECT_THAT(text, HasSubstr("::warning "));
  EXPECT_THAT(text, Not(HasSubstr("Reliable.MissesNothing on etcd 3.4.23::Ordered")));  // known
}

TEST(Annotations, HaveTheRequirementWhereTheCaseIsElsewhere) {
  const std::string text = Annotations(SampleRecord(), Never);
  EXPECT_THAT(text, StartsWith("::error title="));
  EXPECT_THAT(text, HasSubstr("::watch guarantees%0AOrdered: expected"));
}

TEST(Annotations, AreAtMostTenAndTheLastSaysHowManyMore) {
  RunRecord record = SampleRecord();
  const AttemptSummary failed = record.attempts.at(1);
  record.attempts.assign(10, failed);
  record.not_run.clear();
  EXPECT_EQ(LinesIn(Annotations(record, Always)), 10u);
  EXPECT_THAT(Annotations(record, Always), Not(HasSubstr("more are")));
  record.attempts.assign(25, failed);
  const std::string text = Annotations(record, Always);
  EXPECT_EQ(LinesIn(text), 10u);
  EXPECT_THAT(text, HasSubstr("::error title=watchproof::16 more are in the summary"));
}

}  // namespace
}  // namespace watchproof
