// SPDX-License-Identifier: Apache-2.0
#include "harness/checkers/likeness.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "harness/checkers/testing/script.h"
#include "harness/history/narrator.h"

namespace watchproof {
namespace {

// Of the first finding of the guarantee.
std::string LikenessOf(Guarantee guarantee, const Script& script) {
  for (const Finding& finding : script.Judge().findings) {
    if (finding.guarantee == guarantee) return finding.like;
  }
  return "not found";
}

TEST(Likeness, OfALostDeleteDependsOnWhereItLies) {
  const auto lost = [](bool compacted) {
    Script script;
    script.Put("k", "a", 2).Delete("k", 3);
    if (compacted) script.Compact(3);
    script.Watch("k", 3).Created(0, 3).Put("k", "b", 4).Deliver(0, {{4, "k"}});
    return LikenessOf(Guarantee::kReliable, script);
  };
  EXPECT_EQ(lost(true), like::kDeleteAtTheFloor);
  EXPECT_EQ(lost(false), "");
}

TEST(Likeness, OfALossBesideANegativeStart) {
  EXPECT_EQ(LikenessOf(Guarantee::kReliable, Script()
                                                 .Put("k", "a", 2)
                                                 .Put("k", "b", 3)
                                                 .Watch("k", 2)
                                                 .Watch("k", -1)
                                                 .Created(0, 3)
                                                 .Created(1, 3)
                                                 .Deliver(0, {{3, "k"}})),
            like::kNegativeStart);
}

TEST(Likeness, OfProgressThatCannotBe) {
  const Script script = Script().Put("k", "a", 2);
  EXPECT_EQ(
      LikenessOf(Guarantee::kBookmarkable,
                 Script(script).Watch("k", 2).Created(0, 2).Progress(0, 2).Deliver(0, {{2, "k"}})),
      like::kProgressOvertakes);
  EXPECT_EQ(LikenessOf(Guarantee::kBookmarkable,
                       Script(script).Watch("k", 9).Created(0, 2).Progress(0, 2)),
            like::kProgressBelowStart);
}

TEST(Likeness, OfEventsThatComeAgain) {
  EXPECT_EQ(LikenessOf(Guarantee::kUnique, Script()
                                               .Put("k", "a", 2)
                                               .Watch("k", 2)
                                               .Created(0, 2)
                                               .Deliver(0, {{2, "k"}})
                                               .Deliver(0, {{2, "k"}})),
            like::kReplayed);
}

TEST(Likeness, OfSilenceAndOfFalseNotices) {
  const Script written = Script().Put("k", "a", 2).Put("k", "b", 3);
  EXPECT_EQ(LikenessOf(Guarantee::kCompactionSurfaced,
                       Script(written).Compact(3).Watch("k", 2).Created(0, 3)),
            like::kSilentAfterCompaction);
  EXPECT_EQ(LikenessOf(Guarantee::kCompactionSurfaced,
                       Script(written).Watch("k", 2).Created(0, 3).Compacted(0, 3)),
            like::kFalseNotice);
}

// Only who asked for an open range is given away by that bug.
TEST(Likeness, OfAKeyThatItsReaderMayNotSee) {
  const auto shown = [](const std::string& end) {
    return LikenessOf(Guarantee::kAuthorized, Script()
                                                  .Annotate(ReadRight{StreamId(1), {"a/"}, {"a0"}})
                                                  .Watch("a/", 0, {.range_end = end})
                                                  .Created(0)
                                                  .Put("b", "v", 2)
                                                  .Deliver(0, {{2, "b"}}));
  };
  EXPECT_EQ(shown(std::string(1, '\0')), like::kOpenRangeAllowed);
  EXPECT_EQ(shown("c"), "");
}

TEST(Belief, IsThereForEveryGuarantee) {
  for (const Guarantee guarantee : AllGuarantees()) {
    EXPECT_THAT(std::string(Belief(guarantee)), testing::HasSubstr("Kubernetes"))
        << Name(guarantee);
  }
}

}  // namespace
}  // namespace watchproof
