// SPDX-License-Identifier: Apache-2.0
#include "harness/checkers/judge.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>
#include <string_view>

#include "harness/checkers/testing/script.h"
#include "harness/checkers/testing/watch_load.h"
#include "harness/model/lag.h"

namespace watchproof {
namespace {

// Feeds a judge the lines that a script added since the last time.
class LiveJudge {
 public:
  explicit LiveJudge(const JudgeOptions& options = {}) : judge_(options) {}

  Judge& Follow(const Script& script) {
    for (; fed_ < script.lines().size(); ++fed_) judge_.Consume(script.lines()[fed_]);
    return judge_;
  }

 private:
  Judge judge_;
  std::size_t fed_ = 0;
};

TEST(Judge, ShowsTheStateOfEachWatch) {
  Script script;
  LiveJudge live;
  script.Watch("k", 0, {.range_end = "l"});
  {
    const Judge& judge = live.Follow(script);
    ASSERT_EQ(judge.watches().size(), 1u);
    EXPECT_FALSE(judge.watches()[0].created);
    EXPECT_FALSE(judge.watches()[0].complete);
    EXPECT_THAT(judge.Unsettled(), testing::ElementsAre(0));
  }
  script.Created(7, 1).Put("k", "a", 2);
  {
    const WatchState& watch = live.Follow(script).watches()[0];
    EXPECT_TRUE(watch.created);
    EXPECT_EQ(watch.id, WatchId(7));
    EXPECT_EQ(watch.start, Revision(2));
    EXPECT_EQ(watch.position, Revision(2));
    EXPECT_FALSE(watch.complete);
  }
  script.Deliver(7, {{2, "k"}}).Progress(7, 2);
  {
    const Judge& judge = live.Follow(script);
    const WatchState& watch = judge.watches()[0];
    EXPECT_TRUE(watch.complete);
    EXPECT_EQ(watch.events, 1u);
    EXPECT_EQ(watch.last_event, Revision(2));
    EXPECT_EQ(watch.bookmark, Revision(2));
    EXPECT_EQ(watch.progress_answers, 1u);
    EXPECT_EQ(watch.position, Revision(3));
    EXPECT_EQ(watch.last_arrival, script.lines().back().entry.at);
    EXPECT_TRUE(judge.Unsettled().empty());
    EXPECT_EQ(judge.known_through(), Revision(2));
  }
  script.Put("k", "b", 3);
  EXPECT_THAT(live.Follow(script).Unsettled(), testing::ElementsAre(0));
}

TEST(Judge, FindsWatchesByStreamAndOrdinalWithoutControlWatches) {
  Script script;
  script.On(2, "control").Watch("", 0, {.range_end = std::string(1, '\0')}).Created(0, 1);
  script.On(1).Watch("a", 0).Watch("b", 0).On(3, "direct").Watch("c", 0);
  LiveJudge live;
  const Judge& judge = live.Follow(script);
  ASSERT_EQ(judge.watches().size(), 3u);
  EXPECT_EQ(judge.Find(StreamId(1), 1), 1u);
  EXPECT_EQ(judge.Find(StreamId(3), 0), 2u);
  EXPECT_EQ(judge.Find(StreamId(2), 0), std::nullopt);
  EXPECT_EQ(judge.watches()[2].key, "c");
}

TEST(Judge, WaitsForTheNoticeOfAStaleWatch) {
  Script script;
  script.Put("k", "a", 2).Put("j", "a", 3).Compact(3).Watch("k", 2).Created(0, 3);
  LiveJudge live;
  EXPECT_EQ(live.Follow(script).compacted_through(), Revision(3));
  EXPECT_THAT(live.Follow(script).Unsettled(), testing::ElementsAre(0));
  EXPECT_FALSE(live.Follow(script).watches()[0].complete);
  script.Compacted(0, 3);
  EXPECT_TRUE(live.Follow(script).Unsettled().empty());
  EXPECT_EQ(live.Follow(script).watches()[0].end, WatchEnd::kCompacted);
  EXPECT_EQ(live.Follow(script).watches()[0].compact_revision, Revision(3));
}

// A lost change never comes: waiting for it has no use.
TEST(Judge, DoesNotWaitForOvertakenChanges) {
  Script script;
  script.Put("k", "a", 2).Put("k", "b", 3).Watch("k", 2).Created(0, 3).Deliver(0, {{3, "k"}});
  LiveJudge live;
  EXPECT_TRUE(live.Follow(script).Unsettled().empty());
  EXPECT_FALSE(live.Follow(script).watches()[0].complete);
}

TEST(Judge, FindingsAreAvailableBeforeTheEnd) {
  Script script;
  script.Put("k", "a", 2).Put("k", "b", 3).Watch("k", 2).Created(0, 3);
  script.Deliver(0, {{3, "k"}}).Deliver(0, {{2, "k"}});
  LiveJudge live;
  ASSERT_EQ(live.Follow(script).findings().size(), 1u);
  EXPECT_EQ(live.Follow(script).findings()[0].guarantee, Guarantee("Ordered"));
}

// However long the history: changes that are compacted and delivered to all are forgotten.
TEST(Judge, HoldsOnlyChangesAWatchMayStillExpect) {
  for (const bool random_ranges : {false, true}) {
    Judge judge({.least_held = 64});
    std::size_t most = 0;
    std::uint64_t line = 0;
    MakeWatchLoad({.watchers = 20,
                   .events = 20'000,
                   .random_ranges = random_ranges,
                   .previous_values = true,
                   .late = true,
                   .compact_every = 50},
                  [&](Entry entry) {
                    judge.Consume({Line(++line), std::move(entry)});
                    most = std::max(most, judge.held());
                  });
    EXPECT_LT(most, 300u);
    const Judgement judgement = judge.Finish();
    EXPECT_TRUE(judgement.findings.empty() && judgement.undecided.empty());
  }
}

TEST(Judge, HoldsChangesForASlowWatch) {
  Script script;
  script.Watch("k", 2).Created(0, 1).Put("k", "a", 2).Put("k", "b", 3).Put("k", "c", 4);
  LiveJudge live({.least_held = 0});
  script.Deliver(0, {{2, "k"}}).Compact(4);
  EXPECT_EQ(live.Follow(script).held(), 2u);
  script.Deliver(0, {{3, "k"}, {4, "k"}}).Put("k", "d", 5);
  EXPECT_EQ(live.Follow(script).held(), 2u) << "the floor and the change after it";
}

TEST(Judge, CountsOvertakenWatches) {
  Script script;
  script.Watch("k", 2).Created(0, 1).Put("k", "a", 2).Put("k", "b", 3).Put("k", "c", 4);
  LiveJudge live;
  script.Deliver(0, {{2, "k"}});
  EXPECT_EQ(live.Follow(script).overtaken(), 0u);
  script.Deliver(0, {{4, "k"}});
  EXPECT_EQ(live.Follow(script).overtaken(), 1u);
  script.Deliver(0, {{3, "k"}});
  EXPECT_EQ(live.Follow(script).overtaken(), 0u);
}

// A neighbour's counts, on that stream, and what was written later does not.
TEST(Judge, ProgressIsOfAllWatchesOfAStreamAndHasAnEnd) {
  Script script;
  script.Put("k", "a", 2).Put("j", "b", 3).Watch("k", 2).Created(0, 3).Watch("j", 2).Created(1, 3);
  LiveJudge live;
  const auto progress = [&] { return ProgressTo(Revision(3), {StreamId(1)}, live.Follow(script)); };
  const std::uint64_t begin = progress();
  script.Deliver(1, {{3, "j"}});
  const std::uint64_t neighbour = progress();
  EXPECT_GT(neighbour, begin);
  script.Put("j", "c", 4).Deliver(1, {{4, "j"}});
  EXPECT_EQ(progress(), neighbour) << "it was written later";
  script.On(2).Watch("k", 2).Created(0, 4).Deliver(0, {{2, "k"}}).On(1);
  EXPECT_EQ(progress(), neighbour) << "it is on another stream";
  script.Deliver(0, {{2, "k"}});
  EXPECT_GT(progress(), neighbour);
}

TEST(Judge, MeasuresLag) {
  Script script;
  script.On(2, "control").Watch("k", 2).Created(0).On(1).Watch("k", 0).Created(0);
  script.Armed("stall", "none").Put("k", "a", 2).Put("k", "b", 3);
  script.Annotate(StageReached{Stage::kHealed}).Deliver(0, {{2, "k"}}).Deliver(0, {{3, "k"}});
  LagMeter meter;
  Judge judge({}, &meter);
  for (const NumberedEntry& line : script.lines()) judge.Consume(line);
  const Lag lag = meter.Summary();
  EXPECT_EQ(lag.delivery_us.count(), 2u);
  EXPECT_EQ(lag.delivery_us.highest(), 4000) << "one line is 1 ms: two calls, the end of the fault";
  EXPECT_EQ(lag.revisions_behind.highest(), 1);
  ASSERT_EQ(lag.recoveries.size(), 1u);
  EXPECT_EQ(lag.recoveries[0].microseconds.highest(), 2000);
}

TEST(Guarantees, HaveNamesPromisesAndExplanations) {
  std::set<std::string_view> names;
  for (const Guarantee guarantee : AllGuarantees()) {
    EXPECT_TRUE(names.insert(Name(guarantee)).second) << Name(guarantee) << " names two";
    EXPECT_EQ(HeadlineOf(guarantee).guarantee, Name(guarantee));
    EXPECT_GT(Explain(guarantee).size(), 100u) << Name(guarantee);
  }
}

TEST(Judge, NothingIsMissingAfterAStop) {
  Script script;
  script.Watch("k", 2).Created(0, 1).Put("k", "a", 2).Deliver(0, {{2, "k"}, {2, "k"}});
  script.Put("k", "b", 3);
  EXPECT_THAT(script.Judge().findings, testing::SizeIs(2)) << "twice, and stuck";
  const Judgement stopped = script.Annotate(StageReached{Stage::kStopped}).Judge();
  ASSERT_THAT(stopped.findings, testing::SizeIs(1));
  EXPECT_EQ(stopped.findings[0].guarantee, Guarantee("Unique"));
  EXPECT_THAT(stopped.undecided, testing::ElementsAre(testing::HasSubstr("stopped early")));
}

TEST(Judge, WhatAStandingPromiseShowsIsApart) {
  Script script;
  script.Watch("k", 2).Created(0, 1).Put("k", "a", 2).Deliver(0, {{2, "k"}});
  script.Read(1).Annotate(StageReached{Stage::kQuestions});
  script.Annotate(PromiseAsked{"read-of-every-key"}).Read(1).Read(1);
  script.Annotate(TargetRefused{.asked = "a read of every key", .refusal = "no"});
  script.Annotate(PromiseAsked{"delivery"}).Deliver(0, {{2, "k"}});
  script.Annotate(StageReached{Stage::kConverged}).Read(1);
  std::vector<std::pair<std::string, std::string>> found;
  for (const Finding& finding : script.Judge().findings) {
    found.emplace_back(std::string(Name(finding.guarantee)), finding.standing);
  }
  // A finding about a watch is one of the watch, whatever was asked for.
  EXPECT_THAT(found,
              testing::UnorderedElementsAre(testing::Pair("Linearizable", ""),
                                            testing::Pair("Linearizable", "read-of-every-key"),
                                            testing::Pair("Available", "read-of-every-key"),
                                            testing::Pair("Unique", "")));
}

}  // namespace
}  // namespace watchproof
