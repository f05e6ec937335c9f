// SPDX-License-Identifier: Apache-2.0
// Scripts on the embedded store, which serves them in this process.
#include "harness/drive/shared/live_script.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>
#include <thread>
#include <utility>

#include "harness/drive/shared/shared_driver.h"
#include "harness/drive/shared/testing/shared_server.h"

namespace watchproof::explore {
namespace {

using testing::Contains;
using testing::ElementsAre;
using testing::IsEmpty;
using testing::Not;
using testing::StartsWith;

std::vector<std::string> Texts(const Script& script) {
  std::vector<std::string> texts;
  for (const Step& step : script.steps) texts.push_back(Describe(step));
  return texts;
}

TEST(LiveScript, ARightStoreShowsNothing) {
  SharedServer shared;
  const std::vector<Step> steps = {
      Create{.end = "*", .options = {.prev_kv = true}},
      Put{.key = "a/1", .times = 3},
      Create{.stream = 2, .key = "a/", .end = "a0", .start = {Place::From::kHead, -1}, .id = 2},
      Receive{2, 1},
      Txn{.when = {{.key = "b"}}, .then = {{.key = "b"}, {TxnPart::Kind::kGet, "a/1", ""}}},
      Grant{.lease = 1, .seconds = 60},
      Put{.key = "a0", .lease = 1},
      KeepAlive{1},
      KeepAlive{1, true},
      KeepAlive{2, true},
      KeepAlive{1, true},
      Txn{.when = {{Condition::Target::kMod, "a0", "", Condition::Relation::kEqual, "there"}},
          .then = {{.key = "b", .previous = true},
                   {.kind = TxnPart::Kind::kGet,
                    .key = "*",
                    .end = "*",
                    .read = {.limit = 1, .order = Order::kAscend}}}},
      Get{.end = "*", .limit = 2, .max_mod = {Place::From::kHead, -1}},
      Hash{},
      Hash{{Place::From::kHead, -1}},
      AskProgress{1, 3},
      Delete{.key = "a/1", .prev_kv = true},
      Resume{1},
      Compact{.physical = true},
      Create{.key = "b", .start = {Place::From::kFloor, -1}},
      Cancel{2, 2},
      Revoke{1},
      CloseStream{2}};
  const Script carried_out = shared.Run(steps);
  const LiveVerdict verdict = shared.Finish();
  EXPECT_THAT(verdict.findings, IsEmpty());
  EXPECT_THAT(verdict.undecided, IsEmpty());
  EXPECT_EQ(Texts(carried_out), Texts({.steps = steps}));
  EXPECT_GE(verdict.exercise.watches_created, 4U);
  EXPECT_GT(verdict.exercise.events_delivered, 0U);
  EXPECT_GT(verdict.calls.judged, 0U);
}

// Another script writes meanwhile, so that no number by itself would be that of the key.
TEST(LiveScript, AConditionComparesWithWhatIsThere) {
  SharedServer shared;
  shared.Run({Put{.key = "b", .times = 5}}, 1);
  const auto when = [](Condition::Target target, const char* value) {
    return Txn{.when = {{target, "b", "", Condition::Relation::kEqual, value}}};
  };
  using Target = Condition::Target;
  shared.Run({Put{.key = "b", .times = 2}, when(Target::kMod, "there"),
              when(Target::kMod, "there+1"), when(Target::kCreate, "there"),
              when(Target::kVersion, "there"), when(Target::kValue, "there"), Delete{.key = "b"},
              when(Target::kMod, "there"), when(Target::kMod, "there-1")},
             2);
  EXPECT_THAT(shared.Finish().findings, IsEmpty());
  // Those of the promises at the end compare nothing.
  std::vector<bool> succeeded;
  std::set<CallId> compared;
  shared.EachEntry([&](const Entry& entry) {
    if (entry.method != Method::kTxn) return;
    TxnRequestView request;
    TxnResponseView answer;
    if (entry.kind == EntryKind::kCallStarted) {
      const bool parsed = Parse(entry.payload.view(), request).ok();
      if (parsed && !request.compare.empty()) compared.insert(entry.call);
    } else if (compared.contains(entry.call) && Parse(entry.payload.view(), answer).ok()) {
      succeeded.push_back(answer.succeeded);
    }
  });
  EXPECT_THAT(succeeded, ElementsAre(true, false, true, true, true, true, false));
}

TEST(LiveScript, KeepAlivesShareAStreamAcrossTheEndOfALease) {
  SharedServer shared;
  shared.Run({Grant{.lease = 1, .seconds = 60}, Grant{.lease = 2, .seconds = 60},
              KeepAlive{1, true}, KeepAlive{2, true}, Revoke{1}, KeepAlive{1, true},
              KeepAlive{2, true}});
  EXPECT_THAT(shared.Finish().findings, IsEmpty());
  std::vector<bool> kept;
  shared.EachEntry([&](const Entry& entry) {
    LeaseResponseView answer;
    if (entry.kind != EntryKind::kCallEnded || entry.method != Method::kLeaseKeepAlive) return;
    if (Parse(entry.payload.view(), answer).ok()) kept.push_back(answer.ttl > 0);
  });
  EXPECT_THAT(kept, ElementsAre(true, true, false, true));
}

TEST(LiveScript, AHashIsRecordedForTheJudge) {
  SharedServer shared;
  shared.Run({Put{.key = "b", .times = 3}, Hash{{Place::From::kHead, -1}},
              Hash{{Place::From::kHead, -1}}, Hash{{Place::From::kHead, 9}}});
  EXPECT_THAT(shared.Finish().findings, IsEmpty());
  const std::vector<HistoryHash> hashes = shared.Stated<HistoryHash>();
  ASSERT_GE(hashes.size(), 2U);
  EXPECT_EQ(hashes[0].revision, hashes[1].revision);
  EXPECT_EQ(hashes[0].hash, hashes[1].hash);
}

TEST(LiveScript, PlacesCountFromTheScriptsBeginning) {
  SharedServer shared;
  shared.Run({Put{.key = "b", .times = 5}}, 1);
  const std::int64_t base = shared.server().head().value;
  shared.Run({Put{.key = "b", .times = 3}, Create{.key = "b", .start = {Place::From::kNumber, 2}},
              Create{.key = "b", .start = {Place::From::kHead, -2}},
              Create{.key = "b", .start = {Place::From::kNumber, 1 << 20}}, Create{.key = "b"}},
             2);
  EXPECT_THAT(shared.Finish().findings, IsEmpty());
  std::vector<std::int64_t> starts = shared.StartsOf("s2/b");
  starts.resize(4);
  EXPECT_THAT(starts, ElementsAre(base + 1, base + 1, 1 << 20, 0));
}

TEST(LiveScript, ScriptsBesideEachOtherShareTheServerAndNoKey) {
  SharedServer shared;
  std::vector<std::thread> threads;
  for (const std::uint32_t number : {1U, 2U, 3U}) {
    threads.emplace_back([&shared, number] {
      shared.Run(
          {Create{.end = "*"}, Put{.key = "a/1", .times = 20}, Delete{.key = "*", .end = "*"}},
          number);
    });
  }
  for (std::thread& thread : threads) thread.join();
  const LiveVerdict verdict = shared.Finish();
  EXPECT_THAT(verdict.findings, IsEmpty());
  EXPECT_THAT(verdict.undecided, IsEmpty());
  const std::vector<std::string> clients = shared.Clients();
  for (const char* name : {"script 1", "script 2", "script 3"})
    EXPECT_THAT(clients, Contains(name));
  std::set<std::string> keys;
  for (const SharedServer::Asked& one : shared.Creates()) {
    keys.insert(one.watch.key.substr(0, 3));
  }
  for (const char* prefix : {"s1/", "s2/", "s3/"}) EXPECT_THAT(keys, Contains(prefix));
}

TEST(LiveScript, AFindingIsOfTheScriptThatShowsIt) {
  SharedServer shared({.defects = {"filter-ignored"}});
  shared.Run({Create{.end = "*"}, Put{.key = "b"}, Delete{.key = "b"}}, 1);
  shared.Run(
      {Create{.end = "*", .options = {.no_delete = true}}, Put{.key = "b"}, Delete{.key = "b"}}, 2);
  const LiveVerdict verdict = shared.Finish();
  ASSERT_THAT(verdict.findings, Not(IsEmpty()));
  for (const LiveVerdict::OfScript& one : verdict.findings) {
    EXPECT_EQ(Name(one.broken.guarantee), "Filtered") << one.broken.observed;
    EXPECT_EQ(one.script, 2U) << one.broken.watch;
  }
}

// No key, lease or option of the put is a reason.
TEST(LiveScript, APutThatIsRefusedWithoutReasonIsAFinding) {
  SharedServer shared({.quota_bytes = 64 << 10});
  shared.Run({Put{.key = "b", .bytes = 20'000, .times = 20}});
  const LiveVerdict verdict = shared.Finish();
  ASSERT_THAT(verdict.findings, Not(IsEmpty()));
  EXPECT_EQ(Name(verdict.findings.front().broken.guarantee), "Answered");
  EXPECT_THAT(verdict.findings.front().broken.expected, StartsWith("a put to be answered"));
  EXPECT_EQ(verdict.findings.front().script, 1U);
  EXPECT_THAT(shared.not_done, Contains("put"));
}

// A refusal with a reason is none: a key that is empty, a lease that there is not, a revision that
// was compacted.
TEST(LiveScript, ARefusalWithAReasonIsNoFinding) {
  SharedServer shared;
  shared.Run({Put{.key = ""}, Put{.key = "b", .lease = -1}, Put{.key = "a0", .ignore_value = true},
              Put{.key = "b", .times = 3}, Compact{}, Get{.at = {Place::From::kFloor, -1}},
              Compact{{Place::From::kHead, 1}}, Revoke{2}});
  EXPECT_THAT(shared.not_done, IsEmpty());
  EXPECT_THAT(shared.Finish().findings, IsEmpty());
}

TEST(LiveScript, WhatTheServerCannotDoIsLeftOut) {
  SharedServer shared;
  const Script carried_out =
      shared.Run({Put{.key = "b"}, Crash{1}, Restrict{1, "b"}, Put{.key = "b"}});
  EXPECT_THAT(Texts(carried_out), ElementsAre("put key=b", "restrict stream=1 key=b", "put key=b"));
  EXPECT_FALSE(shared.server().can_restart());
  EXPECT_FALSE(shared.server().CanRestrict());
  EXPECT_THAT(shared.Finish().findings, IsEmpty());
}

TEST(LiveScript, CompactionsAreCarriedOutByDraw) {
  SharedServer shared;
  const Script none =
      shared.Run({Put{.key = "b"}, Compact{}, Put{.key = "b"}}, 1, {.compactions = 0});
  EXPECT_THAT(Texts(none), ElementsAre("put key=b", "put key=b"));
  EXPECT_EQ(shared.server().floor().value, 0);
  shared.Run({Put{.key = "b"}, Compact{}}, 2, {.compactions = 1});
  EXPECT_EQ(shared.server().floor(), shared.server().floor_asked());
  EXPECT_GT(shared.server().floor().value, 0);
  EXPECT_THAT(shared.Finish().findings, IsEmpty());
}

TEST(LiveScript, ARestrictedStreamReadsItsRangeAndNothingElse) {
  SharedServer shared({}, {.users = true});
  ASSERT_TRUE(shared.server().CanRestrict());
  shared.Run({Restrict{1, "a/1"}, Create{.key = "a/1"}, Create{.key = "b"}, Put{.key = "a/1"},
              Put{.key = "b"}},
             1, {.everything = true});
  const LiveVerdict verdict = shared.Finish();
  EXPECT_THAT(verdict.findings, IsEmpty());
  EXPECT_TRUE(verdict.exercise.opportunities.contains("Authorized"));
}

TEST(LiveScript, NothingIsWaitedForOnceItIsInterrupted) {
  bool interrupted = false;
  SharedServer shared({}, {.interrupted = [&interrupted] { return interrupted; }});
  interrupted = true;
  const Script carried_out = shared.Run({Put{.key = "b"}, Put{.key = "b"}});
  EXPECT_LE(carried_out.steps.size(), 1U);
  shared.Finish();
}

// Steps one by one.

// Acts once, between two steps of a script, when the store has reached a revision: a server asks
// between them whether it was interrupted.
class BetweenSteps {
 public:
  std::function<bool()> hook() {
    return [this] {
      if (server != nullptr && server->head() >= at && !std::exchange(acted_, true)) act();
      return false;
    };
  }
  // Once the server is there, when so much more has been written.
  void After(LiveServer& of, std::int64_t writes, std::function<void()> action) {
    at = Revision(of.head().value + writes);
    act = std::move(action);
    server = &of;
  }
  // Waits until it holds of a watch of the script's first stream, by its ordinal.
  void AwaitAfter(LiveServer& of, std::int64_t writes, std::uint32_t ordinal,
                  std::function<bool(const WatchState&)> holds) {
    After(of, writes, [&of, ordinal, holds = std::move(holds)] {
      EXPECT_TRUE(of.Await(
          [&](const Judge& judge) {
            const auto watch = judge.Find(StreamId(2), ordinal);
            return watch && holds(judge.watch(*watch));
          },
          60s));
    });
  }

  LiveServer* server = nullptr;
  Revision at{};
  std::function<void()> act;

 private:
  bool acted_ = false;
};

TEST(LiveScript, AWatchGoesOnWhereItsStreamEnded) {
  BetweenSteps between;
  SharedServer shared({}, {.interrupted = between.hook()});
  const std::int64_t base = shared.server().head().value;
  between.AwaitAfter(shared.server(), 3, 0,
                     [](const WatchState& watch) { return watch.events == 3; });
  shared.Run({Create{.key = "b", .start = {Place::From::kHead, 1}},
              Create{.key = "b", .start = {Place::From::kHead, 9}}, Put{.key = "b", .times = 3},
              Resume{1}});
  EXPECT_THAT(shared.Finish().findings, IsEmpty());
  const std::vector<Resumption> resumed = shared.Stated<Resumption>();
  ASSERT_EQ(resumed.size(), 2U);
  EXPECT_EQ(resumed[0].ordinal, 0U);
  EXPECT_EQ(resumed[1].ordinal, 1U);
  EXPECT_NE(resumed[0].stream, resumed[0].next_stream);
  std::vector<std::int64_t> starts = shared.StartsOf("s1/b");
  starts.resize(4);
  // The first had received what had been written; the other one still waits for the future.
  EXPECT_THAT(starts, ElementsAre(base + 1, base + 9, base + 4, base + 9));
}

TEST(LiveScript, ACompactedWatchGoesOnAtItsCompaction) {
  BetweenSteps between;
  SharedServer shared({}, {.interrupted = between.hook()});
  between.AwaitAfter(shared.server(), 4, 0,
                     [](const WatchState& watch) { return watch.end == WatchEnd::kCompacted; });
  shared.Run({Put{.key = "b", .times = 3}, Compact{},
              Create{.key = "b", .start = {Place::From::kFloor, -2}}, Put{.key = "a0"}, Resume{1}});
  EXPECT_THAT(shared.Finish().findings, IsEmpty());
  const std::vector<std::int64_t> starts = shared.StartsOf("s1/b");
  ASSERT_GE(starts.size(), 2U);
  EXPECT_EQ(starts[1], starts[0] + 2);
}

TEST(LiveScript, WhatHasEndedIsNotResumed) {
  BetweenSteps between;
  SharedServer shared({}, {.interrupted = between.hook()});
  between.AwaitAfter(shared.server(), 1, 2,
                     [](const WatchState& watch) { return watch.end == WatchEnd::kCancelled; });
  shared.Run({Create{.key = "b", .id = 1}, Create{.key = "b", .id = 1}, Create{.key = "b", .id = 2},
              Cancel{1, 2}, Put{.key = "a0"}, Resume{1}});
  EXPECT_THAT(shared.Finish().findings, IsEmpty());
  // The second is refused, the third is cancelled.
  EXPECT_EQ(shared.Stated<Resumption>().size(), 1U);
}

TEST(LiveScript, AStreamThatIsNotOpenIsNeitherClosedNorResumed) {
  SharedServer shared;
  shared.Run({CloseStream{2}, Resume{3}, Receive{2, 1}, Put{.key = "b"}});
  EXPECT_THAT(shared.Finish().findings, IsEmpty());
  EXPECT_THAT(shared.Stated<Resumption>(), IsEmpty());
  EXPECT_THAT(shared.Stated<ReadingLimited>(), IsEmpty());
}

TEST(LiveScript, TimesAreSoManyRequests) {
  SharedServer shared;
  shared.Run({Create{.key = "b", .times = 3}, Put{.key = "b", .times = 4}});
  EXPECT_THAT(shared.Finish().findings, IsEmpty());
  EXPECT_GE(shared.StartsOf("s1/b").size(), 3U);
  EXPECT_EQ(shared.CallsOf(Method::kPut), 4);
}

// From its first limit on, until the script is over.
TEST(LiveScript, AClientReadsWhatItIsAllowedTo) {
  SharedServer shared;
  shared.Run({Create{.key = "b"}, Turn{Loop::kCommit}, Receive{1, 0}, Put{.key = "b", .times = 2},
              Receive{1, 1}, Receive{1, kEveryReply}, Receive{1, 0}});
  EXPECT_THAT(shared.Finish().findings, IsEmpty());
  std::vector<std::int64_t> limits;
  for (const ReadingLimited& one : shared.Stated<ReadingLimited>()) limits.push_back(one.messages);
  EXPECT_THAT(limits, ElementsAre(0, 1, -1, 0, -1));
}

// What a lease lasts, and time that passes, is drawn for the server, and said in what was done.
TEST(LiveScript, LeasesHaveTheTimeThatTheServerGivesThem) {
  struct Row {
    bool time;
    std::int64_t seconds;
    const char* granted;
  };
  for (const Row& row :
       {Row{true, 2, "grant"}, Row{true, 4, "grant seconds=60"}, Row{true, 90, "grant seconds=90"},
        Row{false, 2, "grant seconds=60"}, Row{false, 90, "grant seconds=90"}}) {
    SharedServer shared;
    const std::vector<std::string> done = Texts(
        shared.Run({Grant{.seconds = row.seconds}, Revoke{1}, Advance{1}}, 1, {.time = row.time}));
    EXPECT_EQ(done.front(), row.granted == std::string("grant") ? "grant" : row.granted);
    EXPECT_EQ(done.size(), row.time ? 3U : 2U);
    EXPECT_THAT(shared.Finish().findings, IsEmpty());
  }
}

// Alone it has to compact by itself what another script compacted: so many of its writes back.
TEST(LiveScript, ACompactionByAnotherIsAStepOfItsOwn) {
  BetweenSteps between;
  SharedServer shared({}, {.interrupted = between.hook()});
  const Revision through(shared.server().head().value + 2);
  between.After(shared.server(), 3, [&] { shared.server().Compacted(through); });
  const Script done = shared.Run({Put{.key = "b", .times = 3}, Put{.key = "a0"}});
  EXPECT_THAT(Texts(done), ElementsAre("put key=b times=3", "compact at=head-1", "put key=a0"));
  shared.Finish();
}

TEST(LiveScript, WatchesOfEverythingMayBeOfTheWholeStore) {
  for (const bool everything : {false, true}) {
    SharedServer shared;
    shared.Run({Create{.end = "*"}, Create{.key = "b", .end = "*"}, Put{.key = "b"}}, 1,
               {.everything = everything});
    EXPECT_THAT(shared.Finish().findings, IsEmpty());
    std::vector<std::string> ends;
    for (const SharedServer::Asked& one : shared.Creates()) {
      if (one.watch.key == "s1/b") ends.push_back(one.watch.range_end);
    }
    ASSERT_FALSE(ends.empty());
    EXPECT_EQ(ends.front(), everything ? std::string(1, '\0') : "s10");
  }
}

// Killed and started again with its data: every stream goes on, and so do the other scripts.
TEST(LiveScript, ARestartIsAStepOfEveryScript) {
  SharedServer shared({}, {.durable = true});
  ASSERT_TRUE(shared.server().can_restart());
  const Script done = shared.Run({Create{.key = "b"}, Put{.key = "b"}, Crash{}, Put{.key = "b"},
                                  Get{.key = "b", .at = {Place::From::kHead, -1}}});
  EXPECT_EQ(shared.store().kills, 1);
  EXPECT_EQ(shared.server().restarts(), 1U);
  EXPECT_THAT(Texts(done), ElementsAre("create stream=1 key=b", "put key=b", "crash", "put key=b",
                                       "get key=b at=head-1"));
  const LiveVerdict verdict = shared.Finish();
  EXPECT_THAT(verdict.findings, IsEmpty());
  EXPECT_EQ(shared.Stated<Resumption>().size(), 1U);
}

TEST(LiveScript, RestartsAreCarriedOutByDraw) {
  SharedServer shared({}, {.durable = true});
  const Script done =
      shared.Run({Put{.key = "b"}, Crash{}, Put{.key = "b"}}, 1, {.restarts = false});
  EXPECT_THAT(Texts(done), ElementsAre("put key=b", "put key=b"));
  EXPECT_EQ(shared.store().kills, 0);
  EXPECT_THAT(shared.Finish().findings, IsEmpty());
}

TEST(LiveScript, AStoreThatDoesNotComeBackIsAFindingOfTheScript) {
  SharedServer shared({}, {.durable = true});
  shared.Run({Put{.key = "b"}});
  shared.store().fails_to_start = {Status(StatusCode::kInternal, "its data are damaged")};
  shared.Run({Put{.key = "b"}, Crash{}, Put{.key = "b"}}, 2);
  EXPECT_TRUE(shared.server().Gone());
  shared.store().ComeBackAfterAll();
  const LiveVerdict verdict = shared.Finish();
  ASSERT_THAT(verdict.findings, Not(IsEmpty()));
  const LiveVerdict::OfScript& found = verdict.findings.front();
  EXPECT_EQ(Name(found.broken.guarantee), "Durable");
  EXPECT_EQ(found.script, 2U);
  EXPECT_THAT(found.broken.observed, testing::HasSubstr("its data are damaged"));
}

// The standing promises are asked through a driver.

class SharedDriverTest : public testing::Test {
 protected:
  // A script that has run, with a driver for what it left open.
  void Run(const std::vector<Step>& steps) {
    script_.steps = steps;
    run_ = std::make_unique<LiveScript>(shared_.server(), client_, script_, 1, LiveScript::Draws(),
                                        Prng(1));
    run_->Run();
    driver_ = std::make_unique<SharedDriver>(*run_);
  }

  SharedServer shared_;
  LiveClient client_;
  Script script_;
  std::unique_ptr<LiveScript> run_;
  std::unique_ptr<SharedDriver> driver_;
};

TEST_F(SharedDriverTest, KnowsItsWatchesAsTheirClientDoes) {
  Run({Put{.key = "b"}, Create{.key = "b", .id = 7, .options = {.progress_notify = true}},
       Create{.key = "b", .id = 7}, Create{.key = "a/", .end = "a0", .id = 8}, Cancel{1, 8}});
  std::map<DrivenWatch::State, int> states;
  const std::vector<DrivenWatch> watches = driver_->Watches();
  for (const DrivenWatch& watch : watches) {
    ++states[watch.state];
    EXPECT_EQ(driver_->StateOf(watch.ref), watch.state);
  }
  ASSERT_GE(watches.size(), 3U);
  EXPECT_EQ(watches[0].range, KeyRange("s1/b", ""));
  EXPECT_EQ(watches[0].id, WatchId(7));
  EXPECT_TRUE(watches[0].progress_notify);
  EXPECT_EQ(watches[1].state, DrivenWatch::State::kOver);  // its id was in use
  EXPECT_EQ(watches[2].state, DrivenWatch::State::kCancelled);
  EXPECT_EQ(watches[2].range, KeyRange("s1/a/", "s1/a0"));
  EXPECT_FALSE(watches[2].progress_notify);
  EXPECT_EQ(driver_->StateOf({StreamId(999), 0}), DrivenWatch::State::kAsked);
}

TEST_F(SharedDriverTest, AsksOnlyForWhatIsItsOwn) {
  Run({Put{.key = "b"}});
  EXPECT_EQ(driver_->Own(), KeyRange("s1/", "s10"));
  EXPECT_EQ(driver_->HistoryToWatch(KeyRange("x", "y")), driver_->Own());
  EXPECT_EQ(driver_->head(), shared_.server().head());
  EXPECT_EQ(driver_->floor(), shared_.server().floor());
  EXPECT_LE(driver_->oldest(), driver_->head());
  EXPECT_EQ(driver_->Without(Capability::kProgressRequest), "");
  EXPECT_NE(driver_->Without(Capability::kProgressNotices), "");  // others write
  EXPECT_FALSE(driver_->GivesUp());
}

TEST_F(SharedDriverTest, CreatesAwaitsAndCancelsAWatch) {
  Run({Put{.key = "b"}});
  const StreamId stream = driver_->AnyStream().value();
  const WatchRef watch = driver_->Create(stream, {.key = "s1/b"});
  const auto is = [&](DrivenWatch::State state) { return driver_->StateOf(watch) == state; };
  driver_->Await([&] { return is(DrivenWatch::State::kOpen); });
  ASSERT_TRUE(is(DrivenWatch::State::kOpen));
  driver_->PutEach({"s1/b", "s1/a0"});
  driver_->RequireDelivery({watch});
  driver_->RequireProgress(stream, Driver::Progress::kRequested);
  driver_->Cancel(watch);
  driver_->Await([&] { return is(DrivenWatch::State::kCancelled); });
  EXPECT_TRUE(is(DrivenWatch::State::kCancelled));
  driver_->DeleteEach({"s1/b", "s1/a0"});
  const std::int64_t through = driver_->head().value - 1;  // before the deletion
  EXPECT_THAT(shared_.Finish().findings, IsEmpty());
  const std::vector<DeliveryDue> due = shared_.Stated<DeliveryDue>();
  ASSERT_THAT(due, Not(IsEmpty()));
  EXPECT_EQ(due.back().through, through);
  EXPECT_EQ(due.back().streams, std::vector<std::uint32_t>{stream.value});
  EXPECT_THAT(shared_.Stated<ProgressDue>(), Not(IsEmpty()));
}

}  // namespace
}  // namespace watchproof::explore
