// SPDX-License-Identifier: Apache-2.0
// The server of many scripts: how it starts, ends and comes back, and to which script a finding
// belongs.
#include "harness/drive/shared/live_server.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <thread>

#include "harness/drive/shared/testing/shared_server.h"

namespace watchproof::explore {
namespace {

using testing::IsEmpty;
using testing::Not;
using testing::SizeIs;

const Status kLate(StatusCode::kDeadlineExceeded, "it did not answer in time");
const Status kEnded(StatusCode::kInternal, "it ended at its start");

TEST(LiveServer, TheNameOfAClientNamesItsScript) {
  EXPECT_EQ(ScriptOfClient(ClientName(17)), 17U);
  EXPECT_EQ(ScriptOfClient("load 17"), 0U);
  EXPECT_EQ(ScriptOfClient("script"), 0U);
  EXPECT_EQ(ScriptOfClient(""), 0U);
}

class LiveServerStart : public testing::Test {
 protected:
  Status Start() {
    const auto server = LiveServer::Start({.target = store_.spec(), .folder = folder_});
    return server.has_value() ? Status() : server.error();
  }
  void SetUp() override { std::filesystem::create_directories(folder_); }
  void TearDown() override { std::filesystem::remove_all(folder_); }

  const std::filesystem::path folder_ =
      std::filesystem::path(testing::TempDir()) /
      (std::string("start-") + testing::UnitTest::GetInstance()->current_test_info()->name());
  StoreInProcess store_{{}};
};

TEST_F(LiveServerStart, OneThatIsLateIsTriedAgain) {
  store_.fails_to_start = {kLate, kLate};
  EXPECT_TRUE(Start().ok());
  EXPECT_EQ(store_.starts, 3);
}

TEST_F(LiveServerStart, OneThatIsLateEachTimeIsLate) {
  store_.fails_to_start = std::vector<Status>(9, kLate);
  EXPECT_EQ(Start().code(), StatusCode::kDeadlineExceeded);
  EXPECT_EQ(store_.starts, 3);
}

TEST_F(LiveServerStart, OneThatEndedIsNotTriedAgain) {
  store_.fails_to_start = {kEnded};
  EXPECT_EQ(Start().code(), StatusCode::kInternal);
  EXPECT_EQ(store_.starts, 1);
  // Whatever it was late with.
  store_.fails_to_start = {kLate};
  store_.ended = ExitState{.code = 3};
  EXPECT_EQ(Start().code(), StatusCode::kFailedPrecondition);
  EXPECT_EQ(store_.starts, 2);
}

TEST(LiveServer, WhatIsKnownOnlyGrows) {
  SharedServer shared;
  LiveServer& server = shared.server();
  const std::int64_t head = server.head().value;
  server.Saw(Revision(head + 7));
  server.Saw(Revision(head + 2));
  EXPECT_EQ(server.head(), Revision(head + 7));
  server.CompactionAsked(Revision(9));
  server.CompactionAsked(Revision(4));
  EXPECT_EQ(server.floor_asked(), Revision(9));
  EXPECT_EQ(server.floor(), Revision(0));
  server.Compacted(Revision(4));
  server.Compacted(Revision(3));
  EXPECT_EQ(server.floor(), Revision(4));
  server.ProgressHeldBack();
  EXPECT_EQ(server.held_back(), 1U);
}

TEST(LiveServer, WaitsForWhatHasBeenJudged) {
  SharedServer shared;
  LiveServer& server = shared.server();
  const Revision before = server.head();
  shared.Run({Put{.key = "b", .times = 3}});
  EXPECT_TRUE(server.Await(
      [&](const Judge& judge) { return judge.known_through().value >= before.value + 3; }, 10s));
  bool looked = false;
  server.Look([&looked](const Judge& judge) { looked = !judge.ControlWatchWaits(); });
  EXPECT_TRUE(looked);
}

TEST(LiveServer, NothingIsWaitedForOnceItIsInterrupted) {
  bool interrupted = false;
  SharedServer shared({}, {.interrupted = [&interrupted] { return interrupted; }});
  EXPECT_FALSE(shared.server().Gone());
  interrupted = true;
  EXPECT_TRUE(shared.server().Gone());
  EXPECT_FALSE(shared.server().Await([](const Judge&) { return false; }, 1h));
}

TEST(LiveServer, OnlyAloneItIsHushed) {
  {
    SharedServer shared;
    EXPECT_EQ(shared.server().Hush(), nullptr);
  }
  SharedServer shared({}, {.alone = true});
  EXPECT_NE(shared.server().Hush(), nullptr);
  EXPECT_EQ(shared.server().settings(), Server());
}

TEST(LiveServer, ARestartKeepsTheDataAndCountsItself) {
  SharedServer shared({}, {.durable = true});
  const std::int64_t before = shared.server().head().value;
  shared.Run({Put{.key = "b"}});
  EXPECT_TRUE(shared.server().Restart().ok());
  EXPECT_EQ(shared.server().restarts(), 1U);
  EXPECT_EQ(shared.store().kills, 1);
  EXPECT_FALSE(shared.server().Gone());
  EXPECT_GT(shared.server().head().value, before + 1);  // the control watch has written again
  shared.Run({Get{.end = "*"}, Put{.key = "b"}}, 2);
  EXPECT_THAT(shared.Finish().findings, IsEmpty());
}

TEST(LiveServer, ALateRestartIsTriedAgain) {
  SharedServer shared({}, {.durable = true});
  shared.store().fails_to_start = {kLate, kLate};
  EXPECT_TRUE(shared.server().Restart().ok());
  EXPECT_EQ(shared.store().kills, 3);
  shared.store().fails_to_start = std::vector<Status>(3, kLate);
  EXPECT_EQ(shared.server().Restart().code(), StatusCode::kDeadlineExceeded);
  EXPECT_TRUE(shared.server().Gone());
  // It is not used any more.
  EXPECT_EQ(shared.server().Restart().code(), StatusCode::kFailedPrecondition);
  EXPECT_EQ(shared.store().kills, 6);
}

// Each waits for the steps that others are at, and every stream goes on after each.
TEST(LiveServer, ScriptsBesideEachOtherMayAllRestartIt) {
  SharedServer shared({}, {.durable = true});
  std::vector<std::thread> threads;
  for (const std::uint32_t number : {1U, 2U, 3U}) {
    threads.emplace_back([&shared, number] {
      LiveClient client;
      const Script script{.steps = {Create{.end = "*"}, Put{.key = "b", .times = 5}, Crash{},
                                    Put{.key = "b", .times = 5}}};
      LiveScript(shared.server(), client, script, number, {}, Prng(number)).Run();
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(shared.server().restarts(), 3U);
  EXPECT_EQ(shared.store().kills, 3);
  const LiveVerdict verdict = shared.Finish();
  EXPECT_THAT(verdict.findings, IsEmpty());
  EXPECT_GE(verdict.exercise.events_delivered, 30U);
}

// What ended by itself is the finding, and it is of no script.
TEST(LiveServer, OneThatEndedExplainsTheRest) {
  SharedServer shared;
  shared.Run({Create{.key = "b"}, Put{.key = "b"}});
  shared.store().ended = ExitState{.signal = 11};
  EXPECT_TRUE(shared.server().Gone());
  const LiveVerdict verdict = shared.Finish();
  ASSERT_THAT(verdict.findings, SizeIs(1));
  EXPECT_EQ(Name(verdict.findings.front().broken.guarantee), "Available");
  EXPECT_EQ(verdict.findings.front().script, 0U);
  EXPECT_EQ(verdict.findings.front().broken.at, Duration(0));
  EXPECT_THAT(verdict.findings.front().broken.observed, testing::HasSubstr("signal 11"));
}

TEST(LiveServer, AnAnswerThatDiffersIsOfItsClient) {
  SharedServer shared;
  shared.Run({Put{.key = "b"}}, 1);
  shared.Run({Put{.key = "b"}}, 2);
  shared.server().Annotate(
      AnswerDiffers{.client = ClientName(2), .expected = "a put", .observed = "nothing"});
  shared.server().Annotate(
      AnswerDiffers{.client = "control", .expected = "a read", .observed = "nothing"});
  std::vector<std::uint32_t> scripts;
  for (const LiveVerdict::OfScript& one : shared.Finish().findings) scripts.push_back(one.script);
  EXPECT_THAT(scripts, testing::UnorderedElementsAre(2U, 0U));
}

// Each stream belongs to the script that opened it.
TEST(LiveServer, AFindingOfAWatchIsOfTheScriptOfItsStream) {
  SharedServer shared({.defects = {"range-end-included"}});
  const auto watch = [](const char* end) {
    return std::vector<Step>{Create{.key = "a/1", .end = end}, Put{.key = "a/1"}, Put{.key = "a0"}};
  };
  shared.Run(watch(""), 1);
  shared.Run(watch("a0"), 2);
  shared.Run(watch(""), 3);
  const LiveVerdict verdict = shared.Finish();
  ASSERT_THAT(verdict.findings, Not(IsEmpty()));
  for (const LiveVerdict::OfScript& one : verdict.findings) EXPECT_EQ(one.script, 2U);
  EXPECT_FALSE(verdict.findings.front().broken.by_silence);
}

}  // namespace
}  // namespace watchproof::explore
