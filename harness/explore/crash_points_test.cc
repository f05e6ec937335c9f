// SPDX-License-Identifier: Apache-2.0
#include "harness/explore/crash_points.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>

namespace watchproof::explore {
namespace {

using testing::AllOf;
using testing::Contains;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

const CrashPoint& PointOf(const Script& script) {
  return std::get<CrashPoint>(script.steps.front());
}

std::string Without(Script script) {
  script.steps.erase(script.steps.begin());
  return ToText(script);
}

TEST(CrashPoints, EveryScriptHasEveryNumberUpToItsEndInEveryWay) {
  constexpr std::int64_t kCalls = 3;  // that each script makes
  CrashPoints points(Prng(1));
  std::map<std::string, std::set<std::pair<std::int64_t, CrashPoint::How>>> seen;
  for (int i = 0; i < 260; ++i) {
    const Script script = points.Next().value();
    const CrashPoint& point = PointOf(script);
    EXPECT_TRUE(seen[Without(script)].emplace(point.nth, point.how).second) << ToText(script);
    points.Ran(script, point.nth <= kCalls ? std::vector<std::string>{"at the sync of a"}
                                           : std::vector<std::string>());
  }
  std::size_t whole = 0;
  for (const auto& [text, tried] : seen) {
    // One number past the end says that it is the end.
    EXPECT_LE(tried.size(), 4U * (kCalls + 1)) << text;
    whole += tried.size() == 4U * (kCalls + 1) ? 1 : 0;
  }
  EXPECT_GE(whole, 12U);
}

TEST(CrashPoints, SomeMayBeUnderWayWhenTheEndIsSeen) {
  CrashPoints points(Prng(1));
  std::vector<Script> under_way;
  for (int i = 0; i < 40; ++i) under_way.push_back(points.Next().value());
  for (const Script& script : under_way) points.Ran(script, {});
  std::set<std::string> ended;
  for (const Script& script : under_way) ended.insert(Without(script));
  for (int i = 0; i < 40; ++i) {
    EXPECT_THAT(ended, Not(Contains(Without(points.Next().value()))));
  }
}

TEST(CrashPoints, DrawnScriptsFollowTheCoveringOnes) {
  CrashPoints points(Prng(7));
  std::set<std::string> seen;
  for (int i = 0; i < 500; ++i) {
    const Script script = points.Next().value();
    for (const Step& step : script.steps) EXPECT_TRUE(Check(step).ok()) << Describe(step);
    seen.insert(Without(script));
    points.Ran(script, {});
  }
  EXPECT_GT(seen.size(), 60U);
}

TEST(CrashPoints, ScriptsDependOnTheSeedAlone) {
  CrashPoints one(Prng(3));
  CrashPoints same(Prng(3));
  for (int i = 0; i < 300; ++i) {
    const Script script = one.Next().value();
    EXPECT_EQ(ToText(script), ToText(same.Next().value()));
    one.Ran(script, {});
    same.Ran(script, {});
  }
}

TEST(CrashPoints, SaysWhatWasMetByCallAndByScript) {
  CrashPoints points(Prng(1));
  EXPECT_THAT(points.Met(), IsEmpty());
  points.Ran(points.Next().value(), {"at the sync of wal/00-01.wal; nothing was lost"});
  points.Ran(points.Next().value(), {"at the sync of wal/10-11.wal"});
  points.Ran(points.Next().value(), {"at the rename of db.tmp.12 to db"});
  points.Ran(points.Next().value(), {});
  EXPECT_EQ(points.points(), 3U);
  EXPECT_THAT(points.Met(), testing::ElementsAre(HasSubstr("2 at the sync of wal/#-#.wal"),
                                                 HasSubstr("1 at the rename of db.tmp.# to db")));
  EXPECT_THAT(points.Scripts(), Contains(AllOf(HasSubstr("puts"), HasSubstr("not to the end"))));
}

}  // namespace
}  // namespace watchproof::explore
