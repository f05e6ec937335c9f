// SPDX-License-Identifier: Apache-2.0
// Defects of the watch layer, on and off, at the hub: the smallest history in which each shows.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>

#include "embedded_store/defects/defect_fixture.h"
#include "embedded_store/watch/hub_fixture.h"

namespace watchproof::store {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

// A hub of its own with the named defect, or with none.
class DefectiveHub : public HubTest {
 public:
  explicit DefectiveHub(const std::string& defect, WatchLimits limits = {})
      : HubTest(With(defect), limits) {}
  void TestBody() override {}
  using HubTest::Compact;
  using HubTest::Open;
  using HubTest::ServeVictims;
  using HubTest::SyncAll;
  using HubTest::Write;
  using HubTest::WriteTimes;
  TimePoint Sync() { return hub_.SyncStep(now_); }
  // The next periodic tick.
  void Tick() { hub_.ProgressStep(now_ += limits_.progress_interval); }
};

using Lines = std::vector<std::string>;
// Everything but the answers to creates.
Lines Received(Client& client) {
  Lines texts = client.Read();
  std::erase_if(texts, [](const std::string& text) { return text.starts_with("created"); });
  return texts;
}

Lines AfterARefusedCreate(const std::string& defect) {
  DefectiveHub hub(defect);
  Client client = hub.Open();
  client.WatchKey("k");
  client.Watch({.range = {"z", "a"}});
  hub.Write("k");
  return Received(client);
}
TEST(RefusedCreateClosesWatchZero, StopsDeliveryOnWatchZero) {
  EXPECT_THAT(AfterARefusedCreate(""),
              ElementsAre("refused -1@1 mvcc: watcher range is empty", "events 0@2 put k=v@2"));
  EXPECT_THAT(AfterARefusedCreate("refused-create-closes-watch-zero"),
              ElementsAre("refused 0@1 mvcc: watcher range is empty"));
}

Lines AfterACancel(const std::string& defect) {
  DefectiveHub hub(defect);
  Client client = hub.Open();
  for (int i = 0; i < 3; ++i) client.WatchKey("k");
  client.Cancel(0);
  hub.Write("k");
  Lines texts = Received(client);
  std::sort(texts.begin(), texts.end());
  return texts;
}
TEST(CancelSilencesNeighbour, StopsDeliveryOnTheNextWatch) {
  EXPECT_THAT(AfterACancel(""),
              ElementsAre("canceled 0@1", "events 1@2 put k=v@2", "events 2@2 put k=v@2"));
  EXPECT_THAT(AfterACancel("cancel-silences-neighbour"),
              ElementsAre("canceled 0@1", "events 2@2 put k=v@2"));
}

Lines AfterACancelOfTheFirst(const std::string& defect) {
  DefectiveHub hub(defect);
  Client client = hub.Open();
  for (int i = 0; i < 2; ++i) client.WatchKey("k");
  client.Cancel(0);
  client.WatchKey("k");
  hub.Write("k");
  Lines texts = Received(client);
  std::sort(texts.begin(), texts.end());
  return texts;
}
TEST(UsedIdGivenAgain, NamesTheNextWatchAsTheCancelledOne) {
  EXPECT_THAT(AfterACancelOfTheFirst(""),
              ElementsAre("canceled 0@1", "events 1@2 put k=v@2", "events 2@2 put k=v@2"));
  EXPECT_THAT(AfterACancelOfTheFirst("used-id-given-again"),
              ElementsAre("canceled 0@1", "events 0@2 put k=v@2", "events 1@2 put k=v@2"));
}

Lines BesideANegativeStart(const std::string& defect) {
  DefectiveHub hub(defect);
  hub.WriteTimes(2, "k");
  Client innocent = hub.Open();
  Client other = hub.Open();
  innocent.WatchKey("k", 2);
  other.WatchKey("any", -1);
  hub.SyncAll();
  hub.Write("k", "live");
  return Received(innocent);
}
TEST(NegativeStartSpoilsPass, OtherWatchesSkipTheirHistory) {
  EXPECT_THAT(BesideANegativeStart(""),
              ElementsAre("events 0@3 put k=v@2, put k=v@3", "events 0@4 put k=live@4"));
  EXPECT_THAT(BesideANegativeStart("negative-start-spoils-pass"),
              ElementsAre("events 0@4 put k=live@4"));
}

Lines OfTwoNeighbours(const std::string& defect) {
  DefectiveHub hub(defect);
  Client client = hub.Open();
  for (const char* key : {"x", "y", "a", "b"}) client.WatchKey(key);
  for (const char* key : {"a", "b", "x"}) hub.Write(key);
  return Received(client);
}
TEST(EventsCrossed, AreDeliveredToTheNeighbour) {
  EXPECT_THAT(OfTwoNeighbours(""),
              ElementsAre("events 2@2 put a=v@2", "events 3@3 put b=v@3", "events 0@4 put x=v@4"));
  EXPECT_THAT(OfTwoNeighbours("events-crossed"),
              ElementsAre("events 3@2 put a=v@2", "events 2@3 put b=v@3", "events 0@4 put x=v@4"));
}
TEST(EventsCrossed, DoesNotAffectAWatchWithoutNeighbour) {
  DefectiveHub hub("events-crossed");
  Client client = hub.Open();
  for (const char* key : {"x", "y", "a"}) client.WatchKey(key);
  hub.Write("a");
  EXPECT_THAT(Received(client), ElementsAre("events 2@2 put a=v@2"));
}

Lines BeforeAFutureStart(const std::string& defect) {
  DefectiveHub hub(defect);
  Client client = hub.Open();
  client.WatchKey("k", 3);
  client.AskProgress();
  hub.Write("k");
  hub.Write("k");
  return Received(client);
}
TEST(FutureStart, ReceivesNothingFromBefore) {
  EXPECT_THAT(BeforeAFutureStart(""), ElementsAre("events 0@3 put k=v@3"));
}
TEST(EventsBelowFutureStart, AreDelivered) {
  EXPECT_THAT(BeforeAFutureStart("events-below-future-start"),
              ElementsAre("events 0@2 put k=v@2", "events 0@3 put k=v@3"));
}
TEST(ProgressBelowFutureStart, IsSent) {
  EXPECT_THAT(BeforeAFutureStart("progress-below-future-start"),
              ElementsAre("progress -1@1", "events 0@3 put k=v@3"));
}

// How many events a watch receives that starts `past` revisions back, with one more write live.
std::size_t EventCount(const std::string& defect, int past) {
  DefectiveHub hub(defect);
  hub.WriteTimes(past, "k");
  Client client = hub.Open();
  client.WatchKey("k", 2);
  hub.SyncAll();
  hub.Write("k");
  std::size_t count = 0;
  for (const WatchReply& reply : client.ReadReplies()) count += reply.event_count();
  return count;
}
TEST(BatchEdgeSkipped, LosesARevisionAfterEachFullBatch) {
  EXPECT_EQ(EventCount("", 1000), 1001U);
  EXPECT_EQ(EventCount("batch-edge-skipped", 999), 1000U);
  EXPECT_EQ(EventCount("batch-edge-skipped", 1000), 1000U);
  EXPECT_EQ(EventCount("batch-edge-skipped", 1500), 1500U);
}

// A queue that holds one reply; two writes come while it is full.
Lines OfAVictim(const std::string& defect) {
  DefectiveHub hub(defect, {.queued_replies = 1});
  Client client = hub.Open();
  client.WatchKey("k");
  for (const char* value : {"a", "b", "c"}) hub.Write("k", value);
  Lines all = Received(client);
  hub.ServeVictims();
  for (std::string& text : Received(client)) all.push_back(std::move(text));
  return all;
}
TEST(Victim, ReceivesWhatItMissedOnce) {
  EXPECT_THAT(OfAVictim(""),
              ElementsAre("events 0@2 put k=a@2", "events 0@4 put k=b@3, put k=c@4"));
}
TEST(VictimSentTwice, ReceivesTheLastRevisionAgain) {
  EXPECT_THAT(OfAVictim("victim-sent-twice"),
              ElementsAre("events 0@2 put k=a@2", "events 0@4 put k=a@2, put k=b@3, put k=c@4"));
}
TEST(VictimSkipsWhatPassed, ReceivesTheNewestRevisionOnly) {
  EXPECT_THAT(OfAVictim("victim-skips-what-passed"),
              ElementsAre("events 0@2 put k=a@2", "events 0@4 put k=c@4"));
}

Lines BelowTheFloor(const std::string& defect) {
  DefectiveHub hub(defect);
  hub.WriteTimes(4, "k");
  hub.Compact(4);
  Client client = hub.Open();
  client.WatchKey("k", 2);
  for (int step = 0; step < 3; ++step) hub.Sync();
  return Received(client);
}
TEST(Notice, ComesOnceAndNamesTheFloor) {
  EXPECT_THAT(BelowTheFloor(""), ElementsAre("compacted 0@0 at 4"));
}
TEST(NoticeWithoutRevision, LooksLikeACancel) {
  EXPECT_THAT(BelowTheFloor("notice-without-revision"), ElementsAre("canceled 0@0"));
}
TEST(NoticeRepeated, ComesInEveryStepWithoutABusyLoop) {
  EXPECT_THAT(BelowTheFloor("notice-repeated"),
              ElementsAre("compacted 0@0 at 4", "compacted 0@0 at 4", "compacted 0@0 at 4"));
  DefectiveHub hub("notice-repeated");
  hub.WriteTimes(4, "k");
  hub.Compact(4);
  Client client = hub.Open();
  client.WatchKey("k", 2);
  EXPECT_EQ(hub.SyncAll(), 1);
}

Lines EarlyProgressRequestOfAQuietWatch(const std::string& defect, bool write_at_the_end) {
  DefectiveHub hub(defect);
  hub.WriteTimes(2, "busy");
  Client client = hub.Open();
  client.WatchKey("quiet", 2);
  client.AskProgress();
  hub.SyncAll();
  client.AskProgress();
  if (write_at_the_end) hub.Write("quiet");
  return Received(client);
}
TEST(ProgressRequestRemembered, IsAnsweredOnlyWithTheNextEvent) {
  EXPECT_THAT(EarlyProgressRequestOfAQuietWatch("", false), ElementsAre("progress -1@3"));
  EXPECT_THAT(EarlyProgressRequestOfAQuietWatch("progress-request-remembered", false), IsEmpty());
  EXPECT_THAT(EarlyProgressRequestOfAQuietWatch("progress-request-remembered", true),
              ElementsAre("events 0@4 put quiet=v@4", "progress -1@4"));
}
TEST(ProgressRequestRemembered, BlocksPeriodicProgressToo) {
  for (const std::string defect : {"", "progress-request-remembered"}) {
    DefectiveHub hub(defect);
    hub.WriteTimes(2, "busy");
    Client client = hub.Open();
    client.Watch({.range = {"quiet"}, .start = Revision{2}, .progress_notify = true});
    client.AskProgress();
    hub.SyncAll();
    hub.Tick();
    EXPECT_EQ(Received(client).empty(), !defect.empty()) << defect;
  }
}

TEST(CompactedWatchHoldsProgress, OfItsStreamUntilItIsCanceled) {
  for (const std::string defect : {"", "compacted-watch-holds-progress"}) {
    DefectiveHub hub(defect);
    hub.WriteTimes(4, "k");
    hub.Compact(4);
    Client client = hub.Open();
    client.WatchKey("k", 2);
    client.WatchKey("k");
    hub.SyncAll();
    client.Read();
    client.AskProgress();
    EXPECT_EQ(Received(client).empty(), !defect.empty()) << defect;
    client.Cancel(0);
    client.AskProgress();
    EXPECT_THAT(Received(client), testing::Contains("progress -1@5")) << defect;
  }
}

}  // namespace
}  // namespace watchproof::store
