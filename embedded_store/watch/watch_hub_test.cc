// SPDX-License-Identifier: Apache-2.0
// Streams and requests: creating, cancelling, numbering, feeding at commit, progress.
#include "embedded_store/watch/watch_hub.h"

#include "embedded_store/watch/hub_fixture.h"

namespace watchproof::store {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

class Hub : public HubTest {};

TEST_F(Hub, FeedsASyncedWatcherAtCommit) {
  Client client = Open();
  client.WatchKey("k");
  Write("k", "a");
  Write("other");
  Delete(store_, "k");
  hub_.CommitStep();
  EXPECT_THAT(client.Read(),
              ElementsAre("created 0@1", "events 0@2 put k=a@2", "events 0@4 delete k@4"));
  EXPECT_EQ(client.sink().calls, 3);
}

TEST_F(Hub, SendsOneReplyPerRevision) {
  Client client = Open();
  client.Watch({.range = {"a", "c"}});
  client.WatchKey("b");
  ASSERT_TRUE(
      store_
          .Txn({.success = {PutOp{.key = "b", .value = "1"}, PutOp{.key = "c", .value = "2"},
                            PutOp{.key = "a", .value = "3"}}})
          .has_value());
  hub_.CommitStep();
  EXPECT_THAT(client.Read(), testing::UnorderedElementsAre("created 0@1", "created 1@1",
                                                           "events 0@2 put b=1@2, put a=3@2",
                                                           "events 1@2 put b=1@2"));
}

TEST_F(Hub, FindsEveryKindOfRange) {
  Client client = Open();
  client.Watch({.range = KeyRange::Single("k")});
  client.Watch({.range = {"k", "l"}});
  client.Watch({.range = KeyRange::From("k")});
  client.Watch({.range = {"a", "k"}});
  client.Watch({.range = KeyRange::From("l")});
  Write("k");
  std::vector<std::int64_t> ids;
  for (const WatchReply& reply : client.ReadReplies()) {
    if (reply.batch) ids.push_back(reply.watch.value);
  }
  EXPECT_THAT(ids, testing::UnorderedElementsAre(0, 1, 2));
}

TEST_F(Hub, FiltersAndAddsPreviousValues) {
  Client client = Open();
  client.Watch({.range = KeyRange::Single("k"), .no_puts = true});
  client.Watch({.range = KeyRange::Single("k"), .previous_values = true, .no_deletes = true});
  Write("k", "a");
  Write("k", "b");
  Delete(store_, "k");
  hub_.CommitStep();
  EXPECT_THAT(client.Read(), ElementsAre("created 0@1", "created 1@1", "events 1@2 put k=a@2",
                                         "events 1@3 put k=b@3 was a", "events 0@4 delete k@4"));
}

TEST_F(Hub, AvoidsIdsThatClientsChose) {
  Client client = Open();
  client.Watch({.range = {"k"}, .id = WatchId{1}});
  client.WatchKey("k");
  client.WatchKey("k");
  client.Watch({.range = {"k"}, .id = WatchId{77}});
  client.Watch({.range = {"k"}, .id = WatchId{-7}});
  EXPECT_THAT(client.Read(), ElementsAre("created 1@1", "created 0@1", "created 2@1",
                                         "created 77@1", "created -7@1"));
}

TEST_F(Hub, RefusesInvalidCreates) {
  Client client = Open();
  client.Watch({.range = {"k"}, .id = WatchId{5}});
  client.Watch({.range = {"k"}, .id = WatchId{5}});
  client.Watch({.range = {"k", "k"}});
  client.Watch({.range = {"k", "a"}});
  client.WatchKey("k", -1);
  client.Watch({.range = {"k"}, .id = WatchId{-1}});
  EXPECT_THAT(client.Read(),
              ElementsAre("created 5@1",
                          "refused -1@1 mvcc: duplicate watch ID provided on the WatchStream",
                          "refused -1@1 mvcc: watcher range is empty",
                          "refused -1@1 mvcc: watcher range is empty",
                          "refused -1@1 mvcc: required revision has been compacted",
                          "refused -1@1 mvcc: watch ID -1 stands for the whole stream"));
  Write("k");
  EXPECT_THAT(client.Read(), ElementsAre("events 5@2 put k=v@2"));
}

TEST_F(Hub, AnswersACancelAfterTheQueuedEvents) {
  Client client = Open();
  client.WatchKey("k");
  Write("k");
  client.Cancel(0);
  client.Cancel(0);
  client.Cancel(9);
  Write("k");
  client.Watch({.range = {"k"}, .id = WatchId{0}});
  EXPECT_THAT(client.Read(),
              ElementsAre("created 0@1", "events 0@2 put k=v@2", "canceled 0@2", "created 0@3"));
}

TEST_F(Hub, SendsNothingBeforeAFutureStart) {
  Client client = Open();
  client.WatchKey("k", 4);
  WriteTimes(4, "k");
  EXPECT_THAT(client.Read(),
              ElementsAre("created 0@1", "events 0@4 put k=v@4", "events 0@5 put k=v@5"));
}

TEST_F(Hub, SharesOneChangeAmongAllItsWatchers) {
  Client client = Open();
  client.WatchKey("k");
  client.Watch({.range = KeyRange::From("a")});
  Write("k");
  const auto replies = client.ReadReplies();
  ASSERT_EQ(replies.size(), 4U);
  EXPECT_EQ(Events(replies[2])[0].change, Events(replies[3])[0].change);
}

TEST_F(Hub, SharesABatchAmongWatchersOfOneRange) {
  Client client = Open();
  Client other = Open();
  client.WatchKey("k");
  client.WatchKey("k", 2);
  other.WatchKey("k");
  Write("k");
  const auto replies = client.ReadReplies();
  const auto others = other.ReadReplies();
  ASSERT_EQ(replies.size(), 4U);
  ASSERT_EQ(others.size(), 2U);
  EXPECT_EQ(replies[2].batch, replies[3].batch);
  EXPECT_EQ(replies[2].batch, others[1].batch);
}

TEST_F(Hub, SharesABatchAmongDifferentRanges) {
  Client client = Open();
  client.Watch({.range = {"a", "z"}});
  client.Watch({.range = {"k", "l"}});
  client.Watch({.range = {"k", "m"}, .previous_values = true});
  Write("k");
  Write("k");
  std::map<std::int64_t, std::vector<BatchPtr>> batches;
  for (const WatchReply& reply : client.ReadReplies()) {
    if (reply.batch) batches[reply.watch.value].push_back(reply.batch);
  }
  EXPECT_EQ(batches[0], batches[1]);
  ASSERT_EQ(batches[2].size(), 2U);
  EXPECT_NE(batches[2][1], batches[1][1]) << "this one brings the previous value";
}

TEST_F(Hub, SendsOneReplyForAllCommitsOfAStep) {
  Client client = Open();
  client.WatchKey("k");
  client.WatchKey("k", 3);
  for (const char* value : {"a", "b", "c"}) Put(store_, "k", value);
  EXPECT_EQ(hub_.CommitStep(), 2U);
  EXPECT_THAT(client.Read(),
              testing::UnorderedElementsAre("created 0@1", "created 1@1",
                                            "events 0@4 put k=a@2, put k=b@3, put k=c@4",
                                            "events 1@4 put k=b@3, put k=c@4"));
}

TEST_F(Hub, CutsLargeRepliesBetweenRevisions) {
  Client client = Open();
  client.WatchKey("k");
  client.Watch({.range = KeyRange::Single("k"), .fragment = true});
  for (int i = 0; i < 3; ++i) Put(store_, "k", std::string(40'000, 'x'));
  hub_.CommitStep();
  std::map<std::int64_t, std::vector<std::size_t>> sizes;
  for (const WatchReply& reply : client.ReadReplies()) {
    if (reply.batch) sizes[reply.watch.value].push_back(reply.event_count());
  }
  EXPECT_THAT(sizes[0], ElementsAre(1, 1, 1));
  EXPECT_THAT(sizes[1], ElementsAre(3)) << "the sender cuts fragments";
}

// Everything that a cancel or a compaction notice ends, or a progress answer covers, comes before
// it.
TEST_F(Hub, FeedsEarlierCommitsBeforeItAnswersARequest) {
  Client client = Open();
  client.WatchKey("k");
  Put(store_, "k", "a");
  client.AskProgress();
  Put(store_, "k", "b");
  Put(store_, "k", "c");
  client.Cancel(0);
  Put(store_, "k", "d");
  client.WatchKey("k");
  Put(store_, "k", "e");
  hub_.CommitStep();
  EXPECT_THAT(client.Read(), ElementsAre("created 0@1", "events 0@2 put k=a@2", "progress -1@2",
                                         "events 0@4 put k=b@3, put k=c@4", "canceled 0@4",
                                         "created 1@5", "events 1@6 put k=e@6"));
}

TEST_F(Hub, RemovesAClosedStream) {
  Client client = Open();
  client.WatchKey("k");
  client.WatchKey("k", 1);
  Write("k");
  EXPECT_EQ(hub_.counters().streams, 1);
  EXPECT_EQ(hub_.counters().watchers, 2);
  client.Close();
  Write("k");
  SyncAll();
  EXPECT_EQ(hub_.counters().streams, 0);
  EXPECT_EQ(hub_.counters().watchers, 0);
  EXPECT_EQ(hub_.counters().slow_watchers, 0);
}

class Progress : public HubTest {};

TEST_F(Progress, FollowsTheEventsItCovers) {
  Client client = Open();
  client.WatchKey("k");
  Put(store_, "k");  // not yet fed when the request comes
  client.AskProgress();
  EXPECT_THAT(client.Read(), ElementsAre("created 0@1", "events 0@2 put k=v@2", "progress -1@2"));
}

// #15220 and #17507: history is still pending, so there is no answer now; a later request gets one.
TEST_F(Progress, IsNotAnsweredWhileAWatcherCatchesUp) {
  WriteTimes(3, "k");
  Client client = Open();
  client.WatchKey("none", 2);
  client.AskProgress();
  EXPECT_THAT(client.Read(), ElementsAre("created 0@4"));
  SyncAll();
  client.AskProgress();
  EXPECT_THAT(client.Read(), ElementsAre("progress -1@4"));
}

// #20221: the answer would be below the start of the second watcher.
TEST_F(Progress, IsNotAnsweredWhileAWatcherStartsInTheFuture) {
  Client client = Open();
  client.WatchKey("k");
  client.WatchKey("k", 3);
  client.AskProgress();
  EXPECT_THAT(client.Read(), ElementsAre("created 0@1", "created 1@1"));
  WriteTimes(2, "other");
  client.AskProgress();
  EXPECT_THAT(client.Read(), ElementsAre("progress -1@3"));
}

TEST_F(Progress, IsNotHeldBackByAWatcherThatEndedInACompactionNotice) {
  Client client = Open();
  client.WatchKey("k");
  Write("k");
  Write("k");
  Compact(3);
  client.WatchKey("k", 2);
  SyncAll();
  client.Read();
  client.AskProgress();
  EXPECT_THAT(client.Read(), ElementsAre("progress -1@3"));
}

TEST_F(Progress, DoesNotCoverAWatcherThatWasCreatedLater) {
  Client client = Open();
  client.WatchKey("j");
  Write("k");
  client.AskProgress();
  client.WatchKey("k", 2);
  SyncAll();
  EXPECT_THAT(client.Read(),
              ElementsAre("created 0@1", "progress -1@2", "created 1@2", "events 1@2 put k=v@2"));
}

TEST_F(Progress, NeedsAWatcherAndRoomInTheQueue) {
  Client client = Open();
  client.AskProgress();
  EXPECT_THAT(client.Read(), IsEmpty());
  client.WatchKey("k");
  WriteTimes(128, "k");
  client.AskProgress();
  EXPECT_EQ(client.Read().size(), 129U);
}

TEST_F(Progress, ComesPeriodicallyToIdleWatchersThatAskedForIt) {
  Client client = Open();
  client.Watch({.range = {"k"}, .progress_notify = true});
  client.WatchKey("k");
  client.Watch({.range = {"k"}, .start = Revision{9}, .progress_notify = true});
  client.Read();
  EXPECT_EQ(hub_.ProgressStep(now_), now_ + 10min);
  now_ += 10min;
  EXPECT_EQ(hub_.ProgressStep(now_), now_ + 10min);
  EXPECT_THAT(client.Read(), ElementsAre("progress 0@1"));
  Write("k");
  now_ += 10min;
  hub_.ProgressStep(now_);
  EXPECT_EQ(client.Read().size(), 2U) << "the events said how far it is";
  now_ += 10min;
  hub_.ProgressStep(now_);
  EXPECT_THAT(client.Read(), ElementsAre("progress 0@2"));
}

}  // namespace
}  // namespace watchproof::store
