// SPDX-License-Identifier: Apache-2.0
// Scripts on the embedded store, which serves them in this process.
#include "harness/drive/shared/live_script.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>
#include <thread>

#include "embedded_store/server/store_server.h"
#include "harness/history/history_parser.h"
#include "harness/history/reader.h"

namespace watchproof::explore {
namespace {

namespace fs = std::filesystem;
using testing::Contains;
using testing::ElementsAre;
using testing::IsEmpty;
using testing::Not;
using testing::StartsWith;

// A store, and the server of the scripts on it.
class SharedServer {
 public:
  explicit SharedServer(store::StoreOptions store = {}, LiveServerOptions options = {}) {
    store.port = store.http_port = 0;
    store_ = store::StoreServer::Start(store).value();
    const std::string test = testing::UnitTest::GetInstance()->current_test_info()->name();
    folder_ = fs::path(testing::TempDir()) / ("shared-" + test);
    fs::create_directories(folder_);
    options.target = ParseTargetSpec("endpoint:" + store_->endpoint()).value();
    options.folder = folder_;
    options.patience = options.certainty = 500ms;
    server_ = LiveServer::Start(options).value();
  }
  ~SharedServer() {
    server_.reset();
    fs::remove_all(folder_);
  }

  // What was carried out.
  Script Run(const std::vector<Step>& steps, std::uint32_t number = 1,
             const LiveScript::Draws& draws = {}) {
    LiveClient client;
    const Script script{.steps = steps};
    LiveScript run(*server_, client, script, number, draws, Prng(number));
    run.Run();
    for (const auto& [asked, refused] : run.not_done()) not_done.emplace_back(asked);
    return run.carried_out();
  }
  LiveVerdict Finish() { return server_->Finish(); }
  std::vector<std::string> not_done;  // of all scripts
  LiveServer& server() { return *server_; }

  // Of the recording, after Finish.
  void EachEntry(const std::function<void(const Entry&)>& visit) const {
    const auto reader = HistoryReader::Open(folder_ / "history.wire.zst").value();
    const Status read = reader->Each([&visit](const NumberedEntry& line) {
      visit(line.entry);
      return true;
    });
    EXPECT_TRUE(read.ok()) << read.message();
  }
  std::vector<WatchCreate> Creates() const {
    std::vector<WatchCreate> creates;
    EachEntry([&creates](const Entry& entry) {
      if (entry.kind != EntryKind::kRequestSent) return;
      WatchRequestView request;
      if (!Parse(entry.payload.view(), request).ok() || request.kind != WatchRequestKind::kCreate) {
        return;
      }
      creates.push_back({.key = std::string(request.create.key),
                         .range_end = std::string(request.create.range_end),
                         .start = Revision(request.create.start_revision)});
    });
    return creates;
  }
  // What the clients of the calls are called, each once, in order.
  std::vector<std::string> Clients() const {
    std::vector<std::string> names;
    EachEntry([&names](const Entry& entry) {
      if (entry.kind != EntryKind::kCallStarted || entry.text.empty()) return;
      if (std::ranges::count(names, entry.text) == 0) names.push_back(entry.text);
    });
    return names;
  }

 private:
  std::unique_ptr<store::StoreServer> store_;
  fs::path folder_;
  std::unique_ptr<LiveServer> server_;
};

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
      Get{.end = "*", .limit = 2},
      AskProgress{1},
      Delete{.key = "a/1", .prev_kv = true},
      Resume{1},
      Compact{},
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

TEST(LiveScript, PlacesCountFromTheScriptsBeginning) {
  SharedServer shared;
  shared.Run({Put{.key = "b", .times = 5}}, 1);
  const std::int64_t base = shared.server().head().value;
  shared.Run({Put{.key = "b", .times = 3}, Create{.key = "b", .start = {Place::From::kNumber, 2}},
              Create{.key = "b", .start = {Place::From::kHead, -2}},
              Create{.key = "b", .start = {Place::From::kNumber, 1 << 20}}, Create{.key = "b"}},
             2);
  EXPECT_THAT(shared.Finish().findings, IsEmpty());
  std::vector<std::int64_t> starts;
  for (const WatchCreate& create : shared.Creates()) {
    if (create.key == "s2/b") starts.push_back(create.start.value);
  }
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
  for (const WatchCreate& create : shared.Creates()) keys.insert(create.key.substr(0, 3));
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

TEST(LiveServer, TheNameOfAClientNamesItsScript) {
  EXPECT_EQ(ScriptOfClient(ClientName(17)), 17U);
  EXPECT_EQ(ScriptOfClient("load 17"), 0U);
  EXPECT_EQ(ScriptOfClient(""), 0U);
}

}  // namespace
}  // namespace watchproof::explore
