// SPDX-License-Identifier: Apache-2.0
// Each defect, on and off, at the hub: the smallest history in which it shows.
#include "embedded_store/defects/defect.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>

#include "embedded_store/defects/defect_fixture.h"
#include "embedded_store/watch/hub_fixture.h"

namespace watchproof::store {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

TEST(Defects, AreListedWithExplanationIssueAndGuarantees) {
  std::set<std::string> names;
  for (const DefectInfo& info : KnownDefects()) {
    names.insert(info.name);
    EXPECT_THAT(info.explain, Not(IsEmpty())) << info.name;
    // Some were never in etcd; the others have a number or an advisory.
    EXPECT_THAT(info.upstream_issue,
                testing::AnyOf(IsEmpty(), testing::StartsWith("#"), testing::StartsWith("GHSA-")))
        << info.name;
    EXPECT_THAT(info.guarantees, Not(IsEmpty())) << info.name;
  }
  EXPECT_EQ(names.size(), KnownDefects().size());
}

TEST(Defects, UnknownNameListsTheKnownOnes) {
  const auto hooks = MakeHooks({"compaction-notice-lots"});
  ASSERT_FALSE(hooks.has_value());
  EXPECT_EQ(hooks.error().code(), StatusCode::kInvalidArgument);
  EXPECT_THAT(hooks.error().message(),
              AllOf(HasSubstr("compaction-notice-lost"), HasSubstr("range-end-included")));
}

TEST(Defects, CanBeCombined) {
  const auto hooks = MakeHooks({"compaction-notice-lost", "progress-overtakes-events"});
  ASSERT_TRUE(hooks.has_value());
  EXPECT_EQ(hooks->notice_fate, NoticeFate::kForgotten);
  EXPECT_EQ(hooks->progress_timing, ProgressTiming::kAtOnce);
}

class WithDefect : public HubTest {
 protected:
  explicit WithDefect(const std::string& name) : HubTest(With(name)) {}

  // What a watch below the floor receives that was created while the queue of its stream was full.
  std::vector<std::string> WatchBelowTheFloorBehindAFullQueue() {
    Client client = Open();
    client.WatchKey("fat");
    WriteTimes(static_cast<int>(hub_.limits().queued_replies), "fat");
    Compact(100);
    client.WatchKey("old", 2);
    hub_.SyncStep(now_);
    client.Read();
    hub_.SyncStep(now_);
    Write("old", "live");
    return client.Read();
  }
  std::vector<std::string> RequestProgressRightAfterAnOldStart() {
    WriteTimes(2, "k");
    Client client = Open();
    client.WatchKey("k", 2);
    client.AskProgress();
    hub_.SyncStep(now_);
    return client.Read();
  }
};

class WithoutDefect : public WithDefect {
 protected:
  WithoutDefect() : WithDefect("") {}
};
class CompactionNoticeLost : public WithDefect {
 protected:
  CompactionNoticeLost() : WithDefect("compaction-notice-lost") {}
};
class ProgressOvertakesEvents : public WithDefect {
 protected:
  ProgressOvertakesEvents() : WithDefect("progress-overtakes-events") {}
};

TEST_F(WithoutDefect, SurfacesTheCompaction) {
  EXPECT_THAT(WatchBelowTheFloorBehindAFullQueue(), ElementsAre("compacted 1@0 at 100"));
}
TEST_F(CompactionNoticeLost, ContinuesTheWatchWithAGap) {
  EXPECT_THAT(WatchBelowTheFloorBehindAFullQueue(), ElementsAre("events 1@130 put old=live@130"));
}

TEST_F(WithoutDefect, AnswersNoProgressBeforeTheHistory) {
  EXPECT_THAT(RequestProgressRightAfterAnOldStart(),
              ElementsAre("created 0@3", "events 0@3 put k=v@2, put k=v@3"));
}
TEST_F(ProgressOvertakesEvents, AnswersBeforeTheHistory) {
  EXPECT_THAT(RequestProgressRightAfterAnOldStart(),
              ElementsAre("created 0@3", "progress -1@3", "events 0@3 put k=v@2, put k=v@3"));
}

}  // namespace
}  // namespace watchproof::store
