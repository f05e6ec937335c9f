// SPDX-License-Identifier: Apache-2.0
// Catching up, parked replies and compaction, one step at a time.
#include <gmock/gmock.h>

#include "embedded_store/watch/hub_fixture.h"

namespace watchproof::store {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

// The revisions of all events a watch got, in order.
std::vector<std::int64_t> Revisions(const std::vector<WatchReply>& replies, std::int64_t id) {
  std::vector<std::int64_t> revisions;
  for (const WatchReply& reply : replies) {
    if (reply.watch.value != id) continue;
    for (const Event& event : Events(reply)) revisions.push_back(event.change->kv.mod.value);
  }
  return revisions;
}
std::vector<std::int64_t> FromTo(std::int64_t from, std::int64_t to) {
  std::vector<std::int64_t> all;
  for (std::int64_t i = from; i <= to; ++i) all.push_back(i);
  return all;
}

class Sync : public HubTest {
 protected:
  // Fills the queue of the stream with replies to watch 0, which it creates, and makes it a victim.
  void Stall(Client& client) {
    client.WatchKey("fat");
    WriteTimes(static_cast<int>(hub_.limits().queued_replies) + 1, "fat");
    ASSERT_TRUE(hub_.has_victims());
  }
};

TEST_F(Sync, IsIdleWithoutUnsyncedWatchers) {
  EXPECT_EQ(hub_.SyncStep(now_), kNever);
  EXPECT_EQ(hub_.VictimStep(now_), kNever);
}

TEST_F(Sync, DeliversHistoryAndThenTheCommitsThatFollow) {
  WriteTimes(3, "k");
  Client client = Open();
  client.Watch({.range = {"k"}, .start = Revision{2}, .previous_values = true});
  EXPECT_EQ(hub_.counters().slow_watchers, 1);
  Write("k", "live");
  EXPECT_THAT(client.Read(), ElementsAre("created 0@4"));
  EXPECT_EQ(hub_.SyncStep(now_), kNever);
  Write("k", "later");
  EXPECT_THAT(
      client.Read(),
      ElementsAre("events 0@5 put k=v@2, put k=v@3 was v, put k=v@4 was v, put k=live@5 was v",
                  "events 0@6 put k=later@6 was live"));
  EXPECT_EQ(hub_.counters().slow_watchers, 0);
}

TEST_F(Sync, TakesAThousandRevisionsPerStep) {
  WriteTimes(2500, "k");
  Client client = Open();
  client.WatchKey("k", 2);
  EXPECT_EQ(hub_.SyncStep(now_), now_);
  EXPECT_EQ(hub_.SyncStep(now_), now_);
  EXPECT_EQ(hub_.SyncStep(now_), kNever);
  const auto replies = client.ReadReplies();
  ASSERT_EQ(replies.size(), 4U);
  EXPECT_EQ(replies[1].event_count(), 1000U);
  EXPECT_EQ(replies[1].revision, Revision{2501});
  EXPECT_EQ(replies[3].event_count(), 500U);
  EXPECT_EQ(Revisions(replies, 0), FromTo(2, 2501));
}

TEST_F(Sync, ServesWatchersAtDifferentPositionsInOneStep) {
  WriteTimes(3000, "k");
  Client client = Open();
  for (const std::int64_t start : {2, 1500, 2900}) client.WatchKey("k", start);
  EXPECT_EQ(SyncAll(), 3);
  const auto replies = client.ReadReplies();
  EXPECT_EQ(Revisions(replies, 0), FromTo(2, 3001));
  EXPECT_EQ(Revisions(replies, 1), FromTo(1500, 3001));
  EXPECT_EQ(Revisions(replies, 2), FromTo(2900, 3001));
}

TEST_F(Sync, NeverSplitsARevision) {
  TxnOp txn;
  for (int i = 0; i < 10; ++i) txn.success.push_back(PutOp{.key = fmt::format("k{}", i)});
  for (int i = 0; i < 1500; ++i) ASSERT_TRUE(store_.Txn(txn).has_value());
  Client client = Open();
  client.Watch({.range = {"k", "l"}, .start = Revision{2}});
  SyncAll();
  for (const WatchReply& reply : client.ReadReplies()) EXPECT_EQ(reply.event_count() % 10, 0U);
}

TEST_F(Sync, Takes512WatchersPerStep) {
  Write("k");
  std::vector<Client> clients;
  for (int i = 0; i < 513; ++i) clients.push_back(Open());
  for (Client& client : clients) client.WatchKey("k", 2);
  EXPECT_EQ(hub_.SyncStep(now_), now_);
  EXPECT_EQ(hub_.counters().slow_watchers, 1);
  EXPECT_EQ(hub_.SyncStep(now_), kNever);
  for (Client& client : clients) {
    EXPECT_THAT(client.Read(), ElementsAre("created 0@2", "events 0@2 put k=v@2"));
  }
}

TEST_F(Sync, ContinuesFromHistoryAfterAFullQueue) {
  Client client = Open();
  Stall(client);
  const Revision stalled = store_.current();
  WriteTimes(5, "fat");
  EXPECT_EQ(hub_.VictimStep(now_), now_ + 10ms) << "still full";
  EXPECT_EQ(hub_.counters().slow_watchers, 1);
  EXPECT_EQ(hub_.counters().pending_events, 128);
  auto replies = client.ReadReplies();
  EXPECT_EQ(hub_.VictimStep(now_), kNever);
  EXPECT_FALSE(hub_.has_unsynced());
  Write("fat");
  for (WatchReply& reply : client.ReadReplies()) replies.push_back(std::move(reply));
  EXPECT_EQ(Revisions(replies, 0), FromTo(2, stalled.value + 6));
  EXPECT_EQ(hub_.counters().slow_watchers, 0);
  EXPECT_EQ(hub_.counters().pending_events, 0);
}

TEST_F(Sync, DoesNotAffectOtherStreamsWhenOneStalls) {
  Client stalled = Open();
  Client healthy = Open();
  Stall(stalled);
  healthy.WatchKey("fat");
  Write("fat", "next");
  EXPECT_THAT(healthy.Read(), ElementsAre("created 0@130", "events 0@131 put fat=next@131"));
}

TEST_F(Sync, AnswersCreatesOnAStalledStream) {
  Client client = Open();
  Stall(client);
  client.WatchKey("new");
  client.WatchKey("old", 2);
  const auto texts = client.Read();
  ASSERT_EQ(texts.size(), 3 + hub_.limits().queued_replies);
  EXPECT_THAT(
      std::vector(texts.begin(), texts.begin() + 4),
      ElementsAre("created 0@1", "created 1@130", "created 2@130", "events 0@2 put fat=v@2"));
}

class Victims : public Sync {};

TEST_F(Victims, AreServedAtOnceWhileTheirQueueHasRoom) {
  Client client = Open();
  for (int i = 0; i < 300; ++i) {
    client.WatchKey("k");
    client.ReadReplies();
  }
  Write("k");
  EXPECT_EQ(hub_.counters().slow_watchers, 172);
  std::set<std::int64_t> received;
  for (int round = 0; round < 3; ++round) {
    const auto replies = client.ReadReplies();
    EXPECT_EQ(replies.size(), round < 2 ? 128U : 44U);
    for (const WatchReply& reply : replies) received.insert(reply.watch.value);
    hub_.VictimStep(now_);
  }
  EXPECT_EQ(received.size(), 300U);
  EXPECT_EQ(hub_.counters().slow_watchers, 0);
}

TEST_F(Victims, TakeTurnsAndGetEverythingInOneReply) {
  Client client = Open();
  for (int i = 0; i < 200; ++i) {
    client.WatchKey("k");
    client.ReadReplies();
  }
  std::map<std::int64_t, std::vector<std::int64_t>> got;
  const auto read = [&] {
    for (const WatchReply& reply : client.ReadReplies()) {
      for (const Event& event : Events(reply)) {
        got[reply.watch.value].push_back(event.change->kv.mod.value);
      }
    }
  };
  for (int round = 0; round < 10; ++round) {
    WriteTimes(3, "k");
    read();
    hub_.VictimStep(now_);
  }
  while (hub_.has_victims()) {
    read();
    hub_.VictimStep(now_);
  }
  read();
  for (int i = 0; i < 200; ++i) EXPECT_EQ(got[i], FromTo(2, 31)) << "watch " << i;
}

TEST_F(Victims, StayVictimsUntilTheyHaveCaughtUp) {
  Client client = Open();
  Stall(client);
  WriteTimes(2500, "fat");
  auto replies = client.ReadReplies();
  EXPECT_EQ(hub_.VictimStep(now_), now_) << "a thousand revisions per step";
  EXPECT_EQ(hub_.counters().slow_watchers, 1);
  EXPECT_EQ(ServeVictims(), 2);
  for (WatchReply& reply : client.ReadReplies()) replies.push_back(std::move(reply));
  EXPECT_EQ(Revisions(replies, 0), FromTo(2, 2630));
}

TEST_F(Victims, OfAClosedStreamAreForgotten) {
  Client client = Open();
  Stall(client);
  client.Close();
  EXPECT_FALSE(hub_.has_victims());
  EXPECT_EQ(hub_.VictimStep(now_), kNever);
  EXPECT_EQ(hub_.counters().slow_watchers, 0);
}

TEST_F(Victims, CanBeCanceled) {
  Client client = Open();
  Stall(client);
  client.Cancel(0);
  EXPECT_EQ(client.Read().back(), "canceled 0@130");
  EXPECT_EQ(hub_.VictimStep(now_), kNever);
  EXPECT_THAT(client.Read(), IsEmpty());
}

// A catch-up finds a full queue as well; what it has not given is not lost.
TEST_F(Victims, ComeFromTheUnsyncedToo) {
  for (int i = 0; i < 200; ++i) Put(store_, "fat", std::string(60'000, 'x'));
  hub_.CommitStep();
  Client client = Open();
  client.WatchKey("fat", 2);
  hub_.SyncStep(now_);
  EXPECT_TRUE(hub_.has_victims());
  EXPECT_FALSE(hub_.has_unsynced());
  std::vector<WatchReply> replies;
  do {
    for (WatchReply& reply : client.ReadReplies()) replies.push_back(std::move(reply));
    hub_.VictimStep(now_);
  } while (hub_.has_victims());
  for (WatchReply& reply : client.ReadReplies()) replies.push_back(std::move(reply));
  EXPECT_EQ(Revisions(replies, 0), FromTo(2, 201));
}

// The bound of the header: what waits is a position, so nothing but the queue and the store keeps
// changes alive.
TEST_F(Victims, KeepNoEventsAlive) {
  Client client = Open();
  Stall(client);
  std::weak_ptr<const Change> missed;
  {
    const Revision at = Write("fat", "missed");
    missed = store_.ReadHistory(at, at, WithPrevious::kNo).events.front().change;
  }
  Write("fat");
  Write("fat");
  ASSERT_FALSE(missed.expired());
  Compact(store_.current().value);
  EXPECT_TRUE(missed.expired());
}

class CompactionNotice : public Sync {};

TEST_F(CompactionNotice, ComesOnceToAWatcherBelowTheFloor) {
  WriteTimes(5, "k");
  Compact(4);
  Client client = Open();
  client.WatchKey("k", 3);
  client.WatchKey("k", 4);
  EXPECT_EQ(hub_.SyncStep(now_), kNever);
  EXPECT_EQ(hub_.SyncStep(now_), kNever);
  Write("k", "live");
  EXPECT_THAT(client.Read(),
              ElementsAre("created 0@6", "created 1@6", "compacted 0@0 at 4",
                          "events 1@6 put k=v@4, put k=v@5, put k=v@6", "events 1@7 put k=live@7"));
  client.AskProgress();
  EXPECT_THAT(client.Read(), ElementsAre("progress -1@7")) << "the compacted watch has ended";
  client.Watch({.range = {"k"}, .id = WatchId{0}});
  client.Cancel(0);
  client.AskProgress();
  EXPECT_THAT(client.Read(),
              ElementsAre("refused -1@7 mvcc: duplicate watch ID provided on the WatchStream",
                          "canceled 0@7", "progress -1@7"));
}

TEST_F(CompactionNotice, DoesNotComeToASyncedWatcher) {
  Client client = Open();
  client.WatchKey("k");
  Put(store_, "k", "a");
  Put(store_, "k", "b");
  // The floor is above what the hub has fed; the events are on their way all the same.
  Compact(3);
  hub_.CommitStep();
  SyncAll();
  EXPECT_THAT(client.Read(), ElementsAre("created 0@1", "events 0@3 put k=a@2, put k=b@3"));
}

// #22294: with more of them than one step takes, each still gets exactly one.
TEST_F(CompactionNotice, ComesOnceToEachOfManyWatchers) {
  WriteTimes(5, "k");
  Compact(4);
  Client client = Open();
  std::vector<WatchReply> replies;
  for (int i = 0; i < 600; ++i) {
    client.WatchKey("k", 2);
    for (WatchReply& reply : client.ReadReplies()) replies.push_back(std::move(reply));
  }
  for (int i = 0; i < 20; ++i) {
    hub_.SyncStep(now_);
    for (WatchReply& reply : client.ReadReplies()) replies.push_back(std::move(reply));
  }
  std::map<std::int64_t, int> notices;
  for (const WatchReply& reply : replies) notices[reply.watch.value] += reply.canceled ? 1 : 0;
  EXPECT_EQ(notices.size(), 600U);
  for (const auto& [id, count] : notices) EXPECT_EQ(count, 1) << "watch " << id;
  EXPECT_FALSE(hub_.has_unsynced());
}

TEST_F(CompactionNotice, IsOfferedAgainUntilTheQueueHasRoom) {
  Client client = Open();
  Stall(client);
  Compact(100);
  client.WatchKey("old", 2);
  EXPECT_EQ(hub_.SyncStep(now_), now_ + 100ms) << "no progress, so not at once";
  EXPECT_EQ(hub_.SyncStep(now_), now_ + 100ms);
  client.ReadReplies();
  EXPECT_EQ(hub_.SyncStep(now_), kNever);
  EXPECT_THAT(client.Read(), ElementsAre("compacted 1@0 at 100"));
}

TEST_F(CompactionNotice, FollowsTheQueuedEventsOfAVictim) {
  Client client = Open();
  Stall(client);
  const std::int64_t refused = store_.current().value;
  WriteTimes(5, "fat");
  Compact(refused + 3);
  const auto queued = client.ReadReplies();
  EXPECT_EQ(Revisions(queued, 0), FromTo(2, refused - 1));
  EXPECT_EQ(hub_.VictimStep(now_), kNever);
  Write("fat");
  EXPECT_THAT(client.Read(), ElementsAre(fmt::format("compacted 0@0 at {}", refused + 3)));
}

TEST_F(CompactionNotice, DoesNotComeToAVictimAtTheFloor) {
  Client client = Open();
  Stall(client);
  const std::int64_t refused = store_.current().value;
  Write("fat");
  Compact(refused);
  client.ReadReplies();
  EXPECT_EQ(hub_.VictimStep(now_), kNever);
  EXPECT_EQ(Revisions(client.ReadReplies(), 0), FromTo(refused, refused + 1));
}

TEST_F(CompactionNotice, DoesNotWaitBehindAFullQueueOfAnotherStream) {
  Client stalled = Open();
  Stall(stalled);
  Compact(100);
  for (int i = 0; i < 16; ++i) stalled.WatchKey("old", 2);
  Client other = Open();
  other.WatchKey("fat", 120);
  hub_.SyncStep(now_);
  EXPECT_EQ(Revisions(other.ReadReplies(), 0), FromTo(120, 130));
}

}  // namespace
}  // namespace watchproof::store
