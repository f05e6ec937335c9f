// SPDX-License-Identifier: Apache-2.0
#include "harness/report/last_screen.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "harness/report/testing/sample_record.h"

namespace watchproof {
namespace {

using ::testing::EndsWith;
using ::testing::HasSubstr;
using ::testing::Not;

constexpr TerminalStyle kPlain{.colour = false, .charset = Charset::kUtf8, .width = 100};

// The known failure alone, on one target.
RunRecord OnlyKnown() {
  RunRecord record = SampleRecord();
  record.targets.erase(record.targets.begin());
  record.attempts = {record.attempts[2]};
  record.attempts[0].result.bugs = {"#18089"};
  record.attempts[0].result.target_version = "3.4.23";
  record.not_run.clear();
  return record;
}

TEST(LastScreen, SeedIsLastAndEachCauseHasItsCommand) {
  const std::string text = LastScreen(SampleRecord(), kPlain);
  EXPECT_THAT(text, HasSubstr("\nFAIL #1 etcd 3.4.23 on Ordered.NeverGoesBack: Ordered: expected a "
                              "revision of at least 799"));
  EXPECT_THAT(text, HasSubstr("\nrepeat  watchproof repeat "
                              "'watchproof-runs/20260114T101500Z-51e9c2#1'  (draw and shrink"));
  EXPECT_THAT(text, HasSubstr("\ninconclusive embedded on Reliable.MissesNothing: "));
  EXPECT_THAT(text, HasSubstr("Broken run: 1 passed, 1 new failure, 1 harness error, "
                              "1 inconclusive, 1 known failure, 1 not run. 12 s in all.\n"));
  EXPECT_THAT(text, EndsWith("report  watchproof-runs/20260114T101500Z-51e9c2/report.html\n"
                             "seed    0x51e9c2\n"));
}

TEST(LastScreen, OneTargetEndsWithItsBugsAndNeedsNoMatrix) {
  EXPECT_EQ(LastScreen(OnlyKnown(), kPlain),
            "\n1 known failure is 1 bug:\n"
            "  data       #18089  1 case, fixed in 3.4.34\n"
            "             watches miss a deletion: caches keep objects that are gone\n"
            "\n"
            "Nothing new: 1 known failure. 12 s in all.\n"
            "report  watchproof-runs/20260114T101500Z-51e9c2/report.html\n"
            "seed    0x51e9c2\n");
}

TEST(LastScreen, QuietIsFourLines) {
  EXPECT_EQ(LastScreen(OnlyKnown(), kPlain, true),
            "known   data #18089\n"
            "Nothing new: 1 known failure. 12 s in all.\n"
            "report  watchproof-runs/20260114T101500Z-51e9c2/report.html\n"
            "seed    0x51e9c2\n");
}

TEST(LastScreen, SeveralTargetsHaveTheirMatrixAndTheBugsTheirTargets) {
  const std::string text = LastScreen(SampleRecord(), kPlain);
  EXPECT_THAT(text, HasSubstr("Reliable.MissesNothing  ? inconclusive  ≈ known\n"));
  EXPECT_THAT(text, HasSubstr("  data       #18089  1 case on etcd 3.4.23, fixed in 3.4.34\n"));
}

TEST(LastScreen, CountsNotesAndFurtherTries) {
  RunRecord record = SampleRecord();
  EXPECT_THAT(LastScreen(record, {}), Not(HasSubstr("note")));
  EXPECT_THAT(LastScreen(record, {}), Not(HasSubstr("another try")));
  record.attempts.front().result.notes.resize(1);
  record.attempts.front().result.undecided_tries.resize(1);
  EXPECT_THAT(LastScreen(record, {}),
              HasSubstr("\n1 note on what etcd's documents do not promise, in the report\n"));
  EXPECT_THAT(LastScreen(record, {}),
              HasSubstr("\n1 attempt proved nothing at first, and had another try with another "
                        "plan\n"));
}

}  // namespace
}  // namespace watchproof
