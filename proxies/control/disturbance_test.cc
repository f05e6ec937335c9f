// SPDX-License-Identifier: Apache-2.0
// What effects do to real connections, and what their receipts record.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <thread>

#include "proxies/control/proxied_pair_fixture.h"

namespace watchproof::proxy {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using Outcome = TestPeer::Outcome;

// More than all kernel buffers between two peers that do not read take together.
constexpr std::size_t kFlood = 32 << 20;

class Disturbance : public ProxiedPair {
 protected:
  Receipt Peek(EffectId effect) { return proxies_.Peek(effect).value(); }
  std::string ArmError(const EffectSpec& spec) {
    Result<EffectId> armed = proxies_.Arm(front_, spec);
    return armed.has_value() ? "armed" : armed.error().message();
  }
};

TEST_F(Disturbance, StallHoldsThenReleasesEveryByteInOrder) {
  OpenPair();
  const EffectId stall = Arm({.kind = "stall", .direction = Direction::kToClient});
  const std::string flood = RandomBytes(1, kFlood);
  std::size_t sent = 0;
  EXPECT_TRUE(Eventually([&] {
    sent += target_.SendUntilBlocked(std::string_view(flood).substr(sent));
    return Peek(stall).bytes_withheld >= 16 << 10;
  }));
  EXPECT_EQ(client_.unread(), 0U);
  EXPECT_FALSE(Peek(stall).healed_at.has_value());

  const Receipt receipt = Heal(stall);
  EXPECT_TRUE(client_.Receive(sent) == flood.substr(0, sent));
  EXPECT_GE(receipt.bytes_withheld, 16 << 10);
  EXPECT_LE(receipt.bytes_withheld, static_cast<std::int64_t>(sent));
  EXPECT_EQ(receipt.connections_touched, 1);
  EXPECT_EQ(receipt.connections_cut, 0);
  EXPECT_GT(receipt.longest_hold, Duration::zero());
  EXPECT_GE(receipt.healed_at.value(), receipt.armed_at + receipt.longest_hold);
}

TEST_F(Disturbance, StallCountsExactlyWhatItWithheld) {
  OpenPair();
  const EffectId stall = Arm({.kind = "stall"});
  ASSERT_TRUE(client_.Send("four") && target_.Send("seven77"));
  EXPECT_TRUE(Eventually([&] { return Peek(stall).bytes_withheld == 11; }));
  EXPECT_EQ(client_.unread() + target_.unread(), 0U);
  EXPECT_EQ(Heal(stall).bytes_withheld, 11);
  EXPECT_EQ(target_.Receive(4) + client_.Receive(7), "fourseven77");
}

TEST_F(Disturbance, EffectsChangeDuringABlockedWriteWithoutLoss) {
  OpenPair();
  const std::string flood = RandomBytes(3, kFlood);
  const std::size_t sent = FillUp(target_, flood, proxies_, front_);
  const EffectId stall = Arm({.kind = "stall"});
  const EffectId latency = Arm({.kind = "latency", .parameters = {{"delay", "10m"}}});
  EXPECT_GT(Peek(stall).bytes_withheld, 0);
  Heal(stall);
  const std::string passed = client_.Receive(client_.unread());
  EXPECT_TRUE(passed == flood.substr(0, passed.size()));
  Heal(latency);
  EXPECT_TRUE(client_.Receive(sent - passed.size()) ==
              flood.substr(passed.size(), sent - passed.size()));
  EXPECT_EQ(client_.unread(), 0U);
}

TEST_F(Disturbance, LatencyHoldsABoundedAmount) {
  OpenPair();
  const EffectId latency = Arm({.kind = "latency", .parameters = {{"delay", "10m"}}});
  const std::string flood = RandomBytes(4, kFlood);
  const std::size_t sent = FillUp(target_, flood, proxies_, front_);
  EXPECT_GE(sent, 8U << 20);
  EXPECT_LT(sent, 16U << 20);  // beyond the 8 MiB are kernel buffers
  Heal(latency);
  EXPECT_TRUE(client_.Receive(sent) == flood.substr(0, sent));
}

TEST_F(Disturbance, StallOfOneDirectionDoesNotAffectTheOther) {
  OpenPair();
  const EffectId stall = Arm({.kind = "stall", .direction = Direction::kToClient});
  ASSERT_TRUE(target_.Send("held"));
  ASSERT_TRUE(client_.Send("flows"));
  EXPECT_EQ(target_.Receive(5), "flows");
  EXPECT_TRUE(Eventually([&] { return Peek(stall).bytes_withheld == 4; }));
  EXPECT_EQ(client_.unread(), 0U);
  Heal(stall);
  EXPECT_EQ(client_.Receive(4), "held");
}

TEST_F(Disturbance, EffectArmedBeforeTheFirstConnectionHoldsItsFirstByte) {
  const EffectId stall = Arm({.kind = "stall", .direction = Direction::kToTarget});
  client_ = TestPeer::Connect(proxies_.endpoint(front_));
  ASSERT_TRUE(client_.Send("first"));
  target_ = server_.Accept();
  EXPECT_TRUE(Eventually([&] { return Peek(stall).bytes_withheld == 5; }));
  EXPECT_EQ(target_.unread(), 0U);
  Heal(stall);
  EXPECT_EQ(target_.Receive(5), "first");
}

TEST_F(Disturbance, StallHoldsTheEndOfTheStreamToo) {
  OpenPair();
  const EffectId stall = Arm({.kind = "stall", .direction = Direction::kToClient});
  ASSERT_TRUE(target_.Send("bye"));
  target_.EndSending();
  EXPECT_TRUE(Eventually([&] { return Peek(stall).bytes_withheld == 3; }));
  EXPECT_EQ(client_.unread(), 0U);
  Heal(stall);
  EXPECT_EQ(client_.Receive(3), "bye");
  EXPECT_EQ(client_.Next(), Outcome::kEnd);
}

TEST_F(Disturbance, StallEndsAfterItsDuration) {
  OpenPair();
  const EffectId stall = Arm({.kind = "stall", .parameters = {{"duration", "50ms"}}});
  ASSERT_TRUE(target_.Send("late"));
  EXPECT_EQ(client_.Receive(4), "late");
  const TimePoint arrived = Clock::now();
  const Receipt receipt = Heal(stall);
  EXPECT_GE(arrived, receipt.armed_at + 50ms);
  EXPECT_EQ(receipt.healed_at.value(), receipt.armed_at + 50ms);
  EXPECT_EQ(receipt.bytes_withheld, 4);
  EXPECT_LE(receipt.longest_hold, 50ms);
}

TEST_F(Disturbance, LatencyDeliversAfterTheDelay) {
  OpenPair();
  const EffectId latency = Arm(
      {.kind = "latency", .direction = Direction::kToTarget, .parameters = {{"delay", "50ms"}}});
  const TimePoint before = Clock::now();
  ASSERT_TRUE(client_.Send("slow"));
  EXPECT_EQ(target_.Receive(4), "slow");
  EXPECT_GE(Clock::now() - before, 50ms);
  const Receipt receipt = Heal(latency);
  EXPECT_EQ(receipt.bytes_delayed, 4);
  EXPECT_EQ(receipt.bytes_withheld, 0);
  EXPECT_GE(receipt.longest_hold, 50ms);
}

TEST_F(Disturbance, LatencyDoesNotLimitTheRate) {
  OpenPair();
  Arm({.kind = "latency", .parameters = {{"delay", "50ms"}, {"jitter", "10ms"}}});
  const std::string bulk = RandomBytes(2, 200 * 16 << 10);  // one chunk per delay: ten seconds
  const TimePoint before = Clock::now();
  std::thread sender([&] { EXPECT_TRUE(client_.Send(bulk)); });
  EXPECT_TRUE(target_.Receive(bulk.size()) == bulk);
  sender.join();
  EXPECT_LT(Clock::now() - before, 5s);
}

TEST_F(Disturbance, HealedLatencyDeliversPendingBytesAtOnce) {
  OpenPair();
  const EffectId latency = Arm({.kind = "latency", .parameters = {{"delay", "10m"}}});
  ASSERT_TRUE(client_.Send("never mind"));
  EXPECT_EQ(client_.unread() + target_.unread(), 0U);
  Heal(latency);
  EXPECT_EQ(target_.Receive(10), "never mind");
}

TEST_F(Disturbance, StallArmedAfterLatencyHoldsPendingBytes) {
  OpenPair();
  Arm({.kind = "latency", .parameters = {{"delay", "5ms"}}});
  ASSERT_TRUE(client_.Send("under way"));
  const EffectId stall = Arm({.kind = "stall"});
  EXPECT_TRUE(Eventually([&] { return Peek(stall).bytes_withheld + target_.unread() == 9; }));
  proxies_.HealAll();
  EXPECT_EQ(target_.Receive(9), "under way");
}

TEST_F(Disturbance, CutResetsOnlyExistingConnections) {
  OpenPair();
  const EffectId cut = Arm({.kind = "cut"});
  EXPECT_EQ(client_.Next(), Outcome::kReset);
  EXPECT_EQ(target_.Next(), Outcome::kReset);
  OpenPair();
  const Receipt receipt = Heal(cut);
  EXPECT_EQ(receipt.connections_cut, 1);
  EXPECT_EQ(receipt.connections_touched, 1);
}

TEST_F(Disturbance, CutReachesAPeerBehindAStall) {
  OpenPair();
  const EffectId stall = Arm({.kind = "stall"});
  ASSERT_TRUE(target_.Send("lost"));
  EXPECT_TRUE(Eventually([&] { return Peek(stall).bytes_withheld == 4; }));
  Arm({.kind = "cut"});
  EXPECT_EQ(client_.Next(), Outcome::kReset);
  EXPECT_EQ(target_.Next(), Outcome::kReset);
  EXPECT_EQ(Heal(stall).bytes_withheld, 4);
}

TEST_F(Disturbance, CutOfTheFutureEndsWhenHealed) {
  const EffectId cut = Arm({.kind = "cut", .parameters = {{"future", "yes"}}});
  for (int i = 0; i < 3; ++i) {
    EXPECT_EQ(TestPeer::Connect(proxies_.endpoint(front_)).Next(), Outcome::kReset);
  }
  EXPECT_EQ(Heal(cut).connections_cut, 3);
  OpenPair();
}

TEST_F(Disturbance, CutAfterBytesPassesExactlyThose) {
  OpenPair();
  const EffectId cut = Arm(
      {.kind = "cut", .direction = Direction::kToClient, .parameters = {{"after-bytes", "6B"}}});
  ASSERT_TRUE(client_.Send("does not count"));
  EXPECT_EQ(target_.Receive(14), "does not count");
  ASSERT_TRUE(target_.Send("abc"));
  EXPECT_EQ(client_.Receive(3), "abc");
  ASSERT_TRUE(target_.Send("defghi"));
  EXPECT_EQ(client_.Receive(100), "def");
  EXPECT_TRUE(Eventually([&] { return Peek(cut).connections_cut == 1; }));
  EXPECT_EQ(target_.Next(), Outcome::kReset);
}

TEST_F(Disturbance, BandwidthLimitsTheRate) {
  OpenPair();
  const EffectId narrow = Arm(
      {.kind = "bandwidth", .direction = Direction::kToClient, .parameters = {{"rate", "100KiB"}}});
  const std::string bytes = RandomBytes(7, 20 << 10);
  const TimePoint sent = Clock::now();
  ASSERT_TRUE(target_.Send(bytes));
  EXPECT_TRUE(client_.Receive(bytes.size()) == bytes);
  EXPECT_GE(Clock::now() - sent, 170ms);  // 200 ms less two slices, less rounding
  ASSERT_TRUE(client_.Send("the other way is wide"));
  EXPECT_EQ(target_.Receive(21), "the other way is wide");
  EXPECT_GT(Heal(narrow).bytes_throttled, 16 << 10);
}

TEST_F(Disturbance, HealedBandwidthKeepsTheOrder) {
  OpenPair();
  const EffectId narrow = Arm({.kind = "bandwidth", .parameters = {{"rate", "100B"}}});
  ASSERT_TRUE(target_.Send("0123456789"));
  EXPECT_EQ(client_.Receive(2), "01");
  Heal(narrow);
  EXPECT_EQ(client_.Receive(8), "23456789");
}

TEST_F(Disturbance, BlackHoleSwallowsOneDirectionOnly) {
  OpenPair();
  const EffectId hole = Arm({.kind = "black-hole", .direction = Direction::kToClient});
  const std::string flood = RandomBytes(3, kFlood);
  ASSERT_TRUE(target_.Send(flood));  // far more than all buffers hold
  ASSERT_TRUE(client_.Send("still here"));
  EXPECT_EQ(target_.Receive(10), "still here");
  EXPECT_TRUE(Eventually(
      [&] { return Peek(hole).bytes_swallowed == static_cast<std::int64_t>(flood.size()); }));
  EXPECT_EQ(client_.unread(), 0U);
  Heal(hole);
  ASSERT_TRUE(target_.Send("later"));
  EXPECT_EQ(client_.Receive(5), "later");
}

TEST_F(Disturbance, BlackHolePassesTheEndOnWhenHealed) {
  OpenPair();
  const EffectId hole = Arm({.kind = "black-hole", .direction = Direction::kToClient});
  ASSERT_TRUE(target_.Send("lost"));
  target_.EndSending();
  EXPECT_TRUE(Eventually([&] { return Peek(hole).bytes_swallowed == 4; }));
  EXPECT_EQ(client_.unread(), 0U);
  Heal(hole);
  EXPECT_EQ(client_.Next(), Outcome::kEnd);
}

TEST_F(Disturbance, HalfCloseEndsOneDirectionOnly) {
  OpenPair();
  const EffectId half = Arm({.kind = "half-close", .direction = Direction::kToClient});
  EXPECT_EQ(client_.Next(), Outcome::kEnd);
  ASSERT_TRUE(client_.Send("still here"));
  EXPECT_EQ(target_.Receive(10), "still here");
  const std::string flood = RandomBytes(3, kFlood);
  ASSERT_TRUE(target_.Send(flood));  // its sender is not affected
  EXPECT_TRUE(Eventually(
      [&] { return Peek(half).bytes_swallowed == static_cast<std::int64_t>(flood.size()); }));
  EXPECT_EQ(Heal(half).connections_half_closed, 1);
  ASSERT_TRUE(target_.Send(flood));
  client_.EndSending();
  EXPECT_EQ(target_.Next(), Outcome::kEnd);
}

TEST_F(Disturbance, ResetOfThePeerReachesAHalfClosedReceiver) {
  OpenPair();
  Arm({.kind = "half-close", .direction = Direction::kToClient});
  EXPECT_EQ(client_.Next(), Outcome::kEnd);
  target_.CloseWithReset();
  EXPECT_TRUE(Eventually(
      [&] { return proxies_.Connections(front_).back().state == ConnectionState::kReset; }));
}

TEST_F(Disturbance, HealingTwiceGivesTheSameReceipt) {
  const EffectId stall = Arm({.kind = "stall"});
  const Receipt first = Heal(stall);
  EXPECT_EQ(Heal(stall).healed_at, first.healed_at);
  EXPECT_EQ(Peek(stall).healed_at, first.healed_at);
  proxies_.Stop();
  EXPECT_EQ(Peek(stall).healed_at, first.healed_at);
}

TEST_F(Disturbance, ErrorsNameWhatWasExpected) {
  EXPECT_THAT(ArmError({.kind = "stal"}),
              AllOf(HasSubstr("'stal'"), HasSubstr("bandwidth, black-hole, close, ")));
  EXPECT_THAT(ArmError({.kind = "latency", .parameters = {{"dealy", "1ms"}}}),
              AllOf(HasSubstr("latency"), HasSubstr("'dealy'"), HasSubstr("delay, jitter")));
  EXPECT_THAT(ArmError({.kind = "latency", .parameters = {{"delay", "20"}}}),
              AllOf(HasSubstr("'delay'"), HasSubstr("'20'"), HasSubstr("such as 20ms")));
  EXPECT_THAT(ArmError({.kind = "cut", .parameters = {{"future", "maybe"}}}),
              AllOf(HasSubstr("'future'"), HasSubstr("yes or no")));
  EXPECT_EQ(proxies_.Heal(EffectId(99)).error().code(), StatusCode::kNotFound);
  EXPECT_EQ(proxies_.Peek(EffectId(99)).error().code(), StatusCode::kNotFound);
}

TEST(KnownEffectsList, ExplainsEveryEffectAndParameter) {
  for (const EffectInfo& effect : KnownEffects()) {
    EXPECT_FALSE(effect.explain.empty()) << effect.name;
    for (const ParameterInfo& one : effect.parameters) {
      EXPECT_FALSE(one.explain.empty());
      EXPECT_EQ(one.words.empty(), one.kind != ParameterKind::kWord) << one.name;
    }
    EXPECT_TRUE(ParseParameters(effect.name, effect.parameters, {}).has_value()) << effect.name;
  }
}

}  // namespace
}  // namespace watchproof::proxy
