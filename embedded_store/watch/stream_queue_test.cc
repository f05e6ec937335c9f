// SPDX-License-Identifier: Apache-2.0
#include "embedded_store/watch/stream_queue.h"

#include <gtest/gtest.h>

namespace watchproof::store {
namespace {

// Events with values of these sizes.
BatchPtr Batch(std::vector<std::size_t> sizes) {
  std::vector<PendingEvent> events;
  for (const std::size_t size : sizes) {
    Change change{.kv = {.key = "k", .value = std::string(size, 'x')}};
    events.push_back({.change = std::make_shared<const Change>(std::move(change))});
  }
  return std::make_shared<const EventBatch>(std::move(events));
}

class Queue : public testing::Test {
 protected:
  bool Offer(std::int64_t id) {
    WatchReply reply{.watch = WatchId{id}};
    return queue_.OfferEvents(reply);
  }
  void Answer(std::int64_t id, After after) { queue_.Answer({.watch = WatchId{id}}, after); }
  std::vector<std::int64_t> ReadAll() {
    std::vector<std::int64_t> ids;
    while (const auto taken = queue_.Next()) ids.push_back(taken->reply.watch.value);
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

TEST_F(Queue, LetsNoAnswerOvertakeAProgressOfTheWholeStream) {
  EXPECT_TRUE(Offer(1));
  EXPECT_TRUE(Offer(kWholeStream.value));
  Answer(9, After::kNothing);
  EXPECT_TRUE(Offer(2));
  EXPECT_EQ(ReadAll(), (Ids{1, -1, 9, 2}));
  Answer(8, After::kNothing);
  EXPECT_EQ(ReadAll(), (Ids{8}));
}

TEST_F(Queue, KeepsAnAnswerBehindEarlierEventsOnly) {
  EXPECT_TRUE(Offer(1));
  EXPECT_TRUE(Offer(2));
  Answer(9, After::kEverything);
  EXPECT_TRUE(Offer(3));
  EXPECT_EQ(ReadAll(), (Ids{1, 2, 9, 3}));
}

TEST_F(Queue, KeepsAnswersInOrder) {
  EXPECT_TRUE(Offer(1));
  Answer(8, After::kEverything);
  Answer(9, After::kNothing);
  EXPECT_TRUE(Offer(2));
  EXPECT_EQ(ReadAll(), (Ids{1, 8, 9, 2}));
}

TEST_F(Queue, TakesAnswersButNoEventsWhenFull) {
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

// Many watches may be ended while a request is being answered.
TEST_F(Queue, HasRoomForAnswersDespiteManyEndedWatches) {
  for (int i = 0; i < 5; ++i) queue_.End({.watch = WatchId{i}});
  EXPECT_FALSE(queue_.control_full());
  Answer(8, After::kNothing);
  Answer(9, After::kNothing);
  EXPECT_TRUE(queue_.control_full());
  EXPECT_EQ(ReadAll(), (Ids{0, 1, 2, 3, 4, 8, 9}));
  EXPECT_FALSE(queue_.control_full());
}

TEST_F(Queue, IsFullByBytesToo) {
  StreamQueue queue({.queued_bytes = 1000}, counters_);
  WatchReply large{.batch = Batch({5000})};
  EXPECT_TRUE(queue.OfferEvents(large)) << "alone, anything fits";
  WatchReply progress;
  EXPECT_FALSE(queue.OfferEvents(progress));
  EXPECT_EQ(queue.Room(), 0U);
  EXPECT_TRUE(queue.Next()->room_made);
  EXPECT_EQ(queue.Room(), 128U);
  for (int i = 0; i < 2; ++i) {
    WatchReply half{.batch = Batch({600})};
    EXPECT_TRUE(queue.OfferEvents(half));
  }
  EXPECT_FALSE(queue.OfferEvents(progress));
}

// room_made is reported only after a refused offer, and once.
TEST_F(Queue, ReportsOnceThatItIsHalfEmptyAgain) {
  StreamQueue queue({.queued_replies = 4}, counters_);
  const auto offer = [&queue] {
    WatchReply reply;
    return queue.OfferEvents(reply);
  };
  for (int i = 0; i < 4; ++i) EXPECT_TRUE(offer());
  EXPECT_FALSE(offer());
  EXPECT_FALSE(queue.Next()->room_made);
  EXPECT_TRUE(queue.Next()->room_made);
  EXPECT_FALSE(queue.Next()->room_made);
  for (int i = 0; i < 3; ++i) EXPECT_TRUE(offer());
  for (int i = 0; i < 4; ++i) EXPECT_FALSE(queue.Next()->room_made);
}

TEST_F(Queue, CountsWaitingEvents) {
  {
    StreamQueue other({}, counters_);
    WatchReply two{.batch = Batch({1, 1})};
    WatchReply one{.batch = Batch({1})};
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
