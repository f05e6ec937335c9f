// SPDX-License-Identifier: Apache-2.0
#include "harness/decide/shown_bug.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "harness/runs/testing/scripted_attempts.h"

namespace watchproof {
namespace {

using testing::Each;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;

TEST(ShownBug, IsFoundByNumberOrByTheStartOfItsName) {
  for (const char* name : {"18089", "#18089"}) EXPECT_EQ((*FindBug(name))->name, "#18089");
  EXPECT_EQ((*FindBug("GHSA-xg4h"))->name, "GHSA-xg4h-6gfc-h4m8");
}

TEST(ShownBug, RefusesWhatNoCaseShows) {
  EXPECT_THAT(FindBug("9281").error().message(), HasSubstr("no case shows it"));
  const Status unknown = FindBug("lease-left-oit").error();
  EXPECT_EQ(unknown.code(), StatusCode::kNotFound);
  EXPECT_THAT(unknown.message(), HasSubstr("did you mean lease-left-out?"));
}

TEST(ShownBug, ItsCasesAreOfOneServerAndThoseWithoutLuckComeFirst) {
  const Result<ShownBug> bug = ShownBugOf("18089", "");
  ASSERT_TRUE(bug.has_value());
  EXPECT_EQ(bug->cases.front(), "CompactionSurfaced.DeleteAtFloor");
  EXPECT_THAT(bug->cases, Each(Not(StartsWith("Consumers."))));
}

TEST(ShownBug, ACaseStandsForItself) {
  EXPECT_THAT(ShownBugOf("", "CompactionSurfaced.DeleteAtFloor")->cases,
              ElementsAre("CompactionSurfaced.DeleteAtFloor"));
  EXPECT_THAT(ShownBugOf("", "CompactionSurfaced.DeleteAtFlor").error().message(),
              HasSubstr("did you mean CompactionSurfaced.DeleteAtFloor?"));
  EXPECT_THAT(ShownBugOf("", "").error().message(), HasSubstr("expected --bug or --case"));
}

TEST(ShownBug, IsShownByAFindingThatLooksLikeIt) {
  const ShownBug bug = *ShownBugOf("18089", "");
  EXPECT_TRUE(bug.IsShownBy(Failed("Reliable", "delete-at-the-floor")));
  EXPECT_FALSE(bug.IsShownBy(Failed("Reliable", "negative-start")));
  EXPECT_FALSE(bug.IsShownBy(Failed("Reliable")));
  EXPECT_FALSE(bug.IsShownBy(Passed()));
}

TEST(ShownBug, AnyFindingShowsAFailureOfACase) {
  const ShownBug bug{.title = "a failure", .cases = {"Ordered.Plain"}};
  EXPECT_TRUE(bug.IsShownBy(Failed("Ordered")));
  AttemptResult passed = Failed("Ordered");
  passed.verdict = Verdict::kInconclusive;
  EXPECT_FALSE(bug.IsShownBy(passed));
}

TEST(ShownBug, AScriptShowsItsOwnGuaranteeAndSignature) {
  ShownBug bug{.title = "a script", .cases = {"Explored.X"}, .guarantee = "Ordered"};
  EXPECT_TRUE(bug.IsShownBy(Failed("Ordered", "anything")));
  EXPECT_FALSE(bug.IsShownBy(Failed("Unique")));
  bug.signature = "negative-start";
  EXPECT_TRUE(bug.IsShownBy(Failed("Ordered", "negative-start")));
  EXPECT_FALSE(bug.IsShownBy(Failed("Ordered", "anything")));
}

TEST(ShownBug, AFileThatIsNoScriptIsRefused) {
  EXPECT_THAT(ShownByScript("/nowhere").error().message(), HasSubstr("--script"));
}

TEST(ShownBug, ComparesABisectionWithTheAnswerKey) {
  const ShownBug bug = *ShownBugOf("18089", "");
  FoundStep found{.steps = {{.version = "3.5.16"}, {.version = "3.5.12"}}};
  found.last_good = 0;
  found.first_bad = 1;
  EXPECT_THAT(bug.KeySays(found), StartsWith("as in the answer key: 3.5.16 fixed in 3.5.16, 3.5.12 "
                                             "affected"));
  std::swap(found.last_good, found.first_bad);
  EXPECT_THAT(bug.KeySays(found), StartsWith("unlike the answer key"));
  found.steps[0].version.clear();
  EXPECT_EQ(bug.KeySays(found), "");
}

}  // namespace
}  // namespace watchproof
