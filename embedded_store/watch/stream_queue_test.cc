// SPDX-License-Identifier: Apache-2.0
#include "embedded_store/watch/stream_queue.h"

#include <gtest/gtest.h>

namespace watchproof::store {
namespace {

class Queue : public testing::Test {
 protected:
  bool Offer(std::int64_t id) {
    WatchReply reply{.watch = WatchId{id}};
    return queue_.OfferEvents(reply);
  }
  void Answer(std::int64_t id, After after) { queue_.Answer({.watch = WatchId{id}}, after); }
  std::vector<std::int64_t> ReadAll() {
    std::vector<std::int64_t> ids;
    while (const auto reply = queue_.Next()) ids.push_back(reply->watch.value);
    return ids;
  }
  using Ids = std::vector<std::int64_t>;

  WatchCounters counters_;
  StreamQueue queue_{{.queued_replies = 3, .control_replies = 2}, counters_};
};

TEST_F(Queue, LetsAnswersOvertakeEvents) {
  EXPECT_TRUE(Offer(1));
  Answer(9, After::kNothing);
  EXPECT_EQ(ReadAll(), (Ids{9, 1}));
}

TEST_F(Queue, HoldsAnAnswerBackBehindTheEventsBeforeItAndNotBehindLaterOnes) {
  EXPECT_TRUE(Offer(1));
  EXPECT_TRUE(Offer(2));
  Answer(9, After::kEverything);
  EXPECT_TRUE(Offer(3));
  EXPECT_EQ(ReadAll(), (Ids{1, 2, 9, 3}));
}

TEST_F(Queue, KeepsAnswersInOrderSoThatARecreatedWatchIsCreatedAfterItsCancel) {
  EXPECT_TRUE(Offer(1));
  Answer(8, After::kEverything);
  Answer(9, After::kNothing);
  EXPECT_TRUE(Offer(2));
  EXPECT_EQ(ReadAll(), (Ids{1, 8, 9, 2}));
}

TEST_F(Queue, TakesNoEventsWhenFullAndStillTakesAnswers) {
  for (int i = 0; i < 3; ++i) EXPECT_TRUE(Offer(i));
  WatchReply refused{.watch = WatchId{7}};
  EXPECT_FALSE(queue_.OfferEvents(refused));
  EXPECT_EQ(refused.watch, WatchId{7});
  EXPECT_FALSE(queue_.control_full());
  Answer(8, After::kNothing);
  Answer(9, After::kEverything);
  EXPECT_TRUE(queue_.control_full());
  EXPECT_EQ(ReadAll(), (Ids{8, 0, 1, 2, 9}));
  EXPECT_TRUE(queue_.empty());
}

TEST_F(Queue, CountsTheEventsThatWait) {
  {
    StreamQueue other({}, counters_);
    WatchReply two{.events = {Event{}, Event{}}};
    WatchReply one{.events = {Event{}}};
    EXPECT_TRUE(other.OfferEvents(two));
    EXPECT_TRUE(other.OfferEvents(one));
    EXPECT_EQ(counters_.pending_events, 3);
    EXPECT_TRUE(other.Next().has_value());
    EXPECT_EQ(counters_.pending_events, 1);
  }
  EXPECT_EQ(counters_.pending_events, 0);
}

}  // namespace
}  // namespace watchproof::store
