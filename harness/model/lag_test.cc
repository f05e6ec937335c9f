// SPDX-License-Identifier: Apache-2.0
// Delays, spread, recovery and backlog on literal histories.
#include "harness/model/lag.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <numeric>
#include <utility>

namespace watchproof {
namespace {

using std::chrono::milliseconds;

// Feeds a meter with times in milliseconds.
class Story {
 public:
  Story& Written(std::int64_t revision, int at) {
    meter_.Known(Revision(revision), milliseconds(at));
    return *this;
  }
  Story& Watch(std::uint32_t watch, int at, std::uint32_t stream = 1) {
    meter_.Asked(WatchIndex(watch), {.where = {Line(1), milliseconds(at)},
                                     .stream = StreamId(stream),
                                     .ordinal = watch,
                                     .request = {}});
    return *this;
  }
  Story& Resumes(std::uint32_t watch) {
    meter_.Continues(StreamId(1), watch);
    return *this;
  }
  Story& Given(std::uint32_t watch, std::int64_t revision, int at) {
    Response response;
    response.where = {Line(1), milliseconds(at)};
    response.message.events.push_back({.type = 0, .kv = {.mod_revision = revision}});
    meter_.Delivered(WatchIndex(watch), response);
    return *this;
  }
  Story& Fault(const std::string& name, const std::string& phase, int at) {
    meter_.FaultLine(R"({"fault":")" + name + R"(","phase":")" + phase + "\"}", milliseconds(at));
    return *this;
  }
  Story& AllHealed(int at) {
    meter_.AllHealed(milliseconds(at));
    return *this;
  }
  Lag Summary() const { return meter_.Summary(); }
  LagCourse Course() const { return meter_.Whole().course; }

 private:
  LagMeter meter_;
};

// Equal to within a histogram bucket.
MATCHER_P(About, ms, "") { return arg >= ms * 1000 * 8 / 9 && arg <= ms * 1000 * 9 / 8; }

TEST(LagTest, DelayRunsFromTheAnswerToTheWrite) {
  const Lag lag = Story().Watch(0, 0).Written(2, 10).Given(0, 2, 35).Summary();
  EXPECT_EQ(lag.delivery_us.count(), 1u);
  EXPECT_THAT(lag.delivery_us.highest(), About(25));
}

TEST(LagTest, DeliveryBeforeTheAnswerHasNoDelay) {
  const Lag lag = Story().Watch(0, 0).Given(0, 2, 9).Written(2, 10).Summary();
  EXPECT_EQ(lag.delivery_us.highest(), 0);
}

TEST(LagTest, DelayOfAPastRevisionRunsFromTheCreate) {
  const Lag lag = Story().Written(2, 10).Watch(0, 1000).Given(0, 2, 1005).Summary();
  EXPECT_THAT(lag.delivery_us.highest(), About(5));
}

TEST(LagTest, DelayOfAResumedWatchRunsFromTheWrite) {
  const Lag lag = Story().Written(2, 10).Resumes(0).Watch(0, 1000).Given(0, 2, 1010).Summary();
  EXPECT_THAT(lag.delivery_us.highest(), About(1000));
}

TEST(LagTest, DelayRunsFromTheFirstReport) {
  const Lag lag = Story().Watch(0, 0).Written(2, 10).Written(2, 30).Given(0, 2, 30).Summary();
  EXPECT_THAT(lag.delivery_us.highest(), About(20));
}

TEST(LagTest, SpreadIsMeasuredBetweenTheWatchersOfOneStream) {
  const Lag lag = Story()
                      .Watch(0, 0)
                      .Watch(1, 0)
                      .Watch(2, 0, 2)
                      .Written(2, 10)
                      .Given(0, 2, 20)
                      .Given(1, 2, 110)
                      .Given(2, 2, 1000)
                      .Summary();
  EXPECT_EQ(lag.watcher_p99_us.count(), 3u);
  EXPECT_EQ(lag.stream_spread_us.count(), 1u);
  EXPECT_THAT(lag.stream_spread_us.highest(), About(90));
}

TEST(LagTest, RevisionsBehindAreCountedToTheHeadOfTheStore) {
  Story story;
  story.Watch(0, 0);
  for (int revision = 2; revision <= 7; ++revision) story.Written(revision, revision);
  const Lag lag = story.Given(0, 2, 10).Given(0, 7, 11).Summary();
  EXPECT_EQ(lag.revisions_behind.highest(), 5);
  EXPECT_EQ(lag.revisions_behind.count(), 2u);
}

TEST(LagTest, RecoveryEndsWithTheLastEventWrittenBeforeTheHeal) {
  const Lag lag = Story()
                      .Watch(0, 0)
                      .Watch(1, 0)
                      .Fault("stall", "armed", 5)
                      .Written(2, 10)
                      .Written(3, 20)
                      .Given(1, 2, 21)
                      .Given(1, 3, 22)
                      .Fault("stall", "healed", 100)
                      .Given(0, 2, 130)
                      .Given(0, 3, 150)
                      .Written(4, 200)
                      .Given(0, 4, 300)
                      .Given(1, 4, 300)
                      .Watch(2, 400)
                      .Given(2, 2, 450)
                      .Summary();
  ASSERT_EQ(lag.recoveries.size(), 1u);
  EXPECT_EQ(lag.recoveries[0].fault, "stall");
  EXPECT_EQ(lag.recoveries[0].microseconds.count(), 1u);
  EXPECT_THAT(lag.recoveries[0].microseconds.highest(), About(50));
}

TEST(LagTest, AllHealedEndsEveryFaultStillArmed) {
  const Lag lag = Story()
                      .Watch(0, 0)
                      .Fault("stall", "armed", 5)
                      .Fault("reset", "armed", 6)
                      .Fault("reset", "healed", 7)
                      .Written(2, 10)
                      .AllHealed(20)
                      .Given(0, 2, 60)
                      .Summary();
  ASSERT_EQ(lag.recoveries.size(), 2u);
  EXPECT_EQ(lag.recoveries[0].microseconds.count(), 0u);
  EXPECT_EQ(lag.recoveries[1].fault, "stall");
  EXPECT_THAT(lag.recoveries[1].microseconds.highest(), About(40));
}

using Amounts = std::vector<std::int64_t>;

TEST(LagTest, CourseShowsWhenEventsWaitedAndForHowLong) {
  Story story;
  story.Watch(0, 0).Watch(1, 0).Watch(2, 0, 2).Written(2, 5).Given(0, 2, 6);
  const LagCourse course = story.Given(1, 2, 35).Given(2, 2, 36).Course();
  EXPECT_EQ(course.step_us, 10'000);
  EXPECT_EQ(course.events, (Amounts{1, 0, 0, 2}));
  EXPECT_EQ(course.waiting, (Amounts{2, 2, 2, 0}));
  EXPECT_THAT(course.p50_us[0], About(1));
  EXPECT_THAT(course.p99_us[3], About(31));
  EXPECT_EQ(course.spread_us, (Amounts{0, 0, 0, 29'000})) << "of the first stream";
}

TEST(LagTest, CourseOfALongRecordingHasLongerStretchesAndLosesNothing) {
  Story story;
  story.Watch(0, 0);
  for (int i = 0; i < 1000; ++i) story.Written(2 + i, i).Given(0, 2 + i, i + 1);
  const LagCourse course = story.Written(2000, 1000).Given(0, 2000, 2000).Course();
  EXPECT_LE(course.events.size(), 48u);
  EXPECT_GT(course.events.size(), 23u);
  EXPECT_EQ(std::accumulate(course.events.begin(), course.events.end(), std::int64_t{}), 1001);
  EXPECT_EQ(course.waiting.back(), 0);
  EXPECT_EQ(course.waiting[course.waiting.size() - 2], 1);
}

}  // namespace
}  // namespace watchproof
