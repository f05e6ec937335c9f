// SPDX-License-Identifier: Apache-2.0
// Effects that begin or end real connections, and the choice of connections by chance or by id.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "proxies/control/proxied_pair_fixture.h"

namespace watchproof::proxy {
namespace {

using ::testing::HasSubstr;
using Outcome = TestPeer::Outcome;

class FreshConnectionEffects : public ProxiedPair {
 protected:
  FreshConnectionEffects() : ProxiedPair(1) {}
  bool LastIs(ConnectionState state) {
    return Eventually([&] {
      const std::vector<ConnectionInfo> known = proxies_.Connections(front_);
      return !known.empty() && known.back().state == state;
    });
  }
};

TEST_F(FreshConnectionEffects, CloseAfterBytesEndsBothSidesAfterThem) {
  OpenPair();
  const EffectId close = Arm(
      {.kind = "close", .direction = Direction::kToClient, .parameters = {{"after-bytes", "3B"}}});
  ASSERT_TRUE(target_.Send("abcdef"));
  EXPECT_EQ(client_.Receive(6), "abc");
  EXPECT_EQ(client_.Next(), Outcome::kEnd);
  EXPECT_EQ(target_.Next(), Outcome::kEnd);
  EXPECT_EQ(Heal(close).connections_closed, 1);
  EXPECT_TRUE(LastIs(ConnectionState::kClosed));
}

TEST_F(FreshConnectionEffects, CutAfterADelayReachesAPeerThatReadsNothing) {
  OpenPair();
  const std::string flood = RandomBytes(1, 32 << 20);
  const std::size_t sent = FillUp(target_, flood, proxies_, front_);
  ASSERT_LT(sent, flood.size());
  const EffectId cut = Arm({.kind = "cut", .parameters = {{"after", "50ms"}}});
  EXPECT_TRUE(LastIs(ConnectionState::kReset));
  const Receipt receipt = Heal(cut);
  EXPECT_EQ(receipt.connections_cut, 1);
  EXPECT_GE(*receipt.healed_at - receipt.armed_at, 50ms);
}

TEST_F(FreshConnectionEffects, FutureCutAfterADelayCountsFromAcceptance) {
  const EffectId cut = Arm({.kind = "cut", .parameters = {{"future", "yes"}, {"after", "50ms"}}});
  const TimePoint before = Clock::now();
  client_ = TestPeer::Connect(proxies_.endpoint(front_));
  EXPECT_EQ(client_.Next(), Outcome::kReset);
  EXPECT_GE(Clock::now() - before, 50ms);
  EXPECT_EQ(Heal(cut).connections_cut, 1);
}

TEST_F(FreshConnectionEffects, HalfOpenResetsTheClientAndKeepsTheTarget) {
  OpenPair();
  const EffectId half = Arm({.kind = "half-open", .direction = Direction::kToClient});
  EXPECT_EQ(client_.Next(), Outcome::kReset);
  const std::string flood = RandomBytes(2, 8 << 20);
  ASSERT_TRUE(target_.Send(flood));  // more than all buffers: the proxy still reads it
  EXPECT_TRUE(Eventually([&] {
    return proxies_.Peek(half)->bytes_swallowed == static_cast<std::int64_t>(flood.size());
  }));
  EXPECT_EQ(target_.unread(), 0U);
  EXPECT_TRUE(LastIs(ConnectionState::kOpen));
  EXPECT_EQ(Heal(half).connections_half_opened, 1);
  ASSERT_TRUE(target_.Send("after healing"));
  target_.Close();
  EXPECT_TRUE(LastIs(ConnectionState::kClosed));
}

TEST_F(FreshConnectionEffects, HalfOpenTowardsTheTargetResetsTheTarget) {
  OpenPair();
  Arm({.kind = "half-open", .direction = Direction::kToTarget});
  EXPECT_EQ(target_.Next(), Outcome::kReset);
  ASSERT_TRUE(client_.Send("into nothing"));
  EXPECT_TRUE(LastIs(ConnectionState::kOpen));
  client_.EndSending();
  EXPECT_EQ(client_.Next(), Outcome::kEnd);
}

TEST_F(FreshConnectionEffects, RefuseRejectsClientsAndKeepsThePort) {
  OpenPair();
  const std::string endpoint = proxies_.endpoint(front_);
  const EffectId refuse = Arm({.kind = "refuse"});
  EXPECT_FALSE(TestPeer::Connect(endpoint).connected());
  ASSERT_TRUE(client_.Send("still here"));
  EXPECT_EQ(target_.Receive(10), "still here");
  const EffectId twice = Arm({.kind = "refuse"});
  Heal(refuse);
  EXPECT_FALSE(TestPeer::Connect(endpoint).connected());
  Heal(twice);
  OpenPair();
  EXPECT_EQ(proxies_.endpoint(front_), endpoint);
}

TEST_F(FreshConnectionEffects, LateAcceptDelaysDialling) {
  const EffectId late = Arm({.kind = "late-accept", .parameters = {{"delay", "50ms"}}});
  const TimePoint before = Clock::now();
  client_ = TestPeer::Connect(proxies_.endpoint(front_));
  ASSERT_TRUE(client_.Send("early"));
  target_ = server_.Accept();
  EXPECT_GE(Clock::now() - before, 50ms);
  EXPECT_EQ(target_.Receive(5), "early");
  const Receipt receipt = Heal(late);
  EXPECT_EQ(receipt.connections_touched, 1);
  EXPECT_EQ(receipt.longest_hold, 50ms);
}

TEST_F(FreshConnectionEffects, HealedLateAcceptServesWaitingClients) {
  const EffectId late = Arm({.kind = "late-accept", .parameters = {{"delay", "10m"}}});
  client_ = TestPeer::Connect(proxies_.endpoint(front_));
  EXPECT_TRUE(LastIs(ConnectionState::kDialling));
  const Receipt receipt = Heal(late);
  EXPECT_EQ(receipt.connections_touched, 1);
  EXPECT_GT(receipt.longest_hold, 0ms);
  EXPECT_LT(receipt.longest_hold, 10min);  // released earlier, by the heal
  target_ = server_.Accept();
  ASSERT_TRUE(target_.Send("served"));
  EXPECT_EQ(client_.Receive(6), "served");
}

// A target with a full accept queue leaves its diallers waiting.
TEST_F(FreshConnectionEffects, ExpiringStallKeepsConnectionsBeingEstablished) {
  TestServer busy(0);
  const TestPeer first = TestPeer::Connect("127.0.0.1:" + std::to_string(busy.port()));
  front_ = proxies_.Open({.name = "front", .target_port = busy.port()}).value();
  client_ = TestPeer::Connect(proxies_.endpoint(front_));
  ASSERT_TRUE(LastIs(ConnectionState::kDialling));
  Arm({.kind = "stall", .parameters = {{"duration", "10m"}}});
  for (int i = 0; i < 100; ++i) {
    ASSERT_EQ(proxies_.Connections(front_).back().state, ConnectionState::kDialling);
  }
}

TEST_F(FreshConnectionEffects, LateEndKeepsTheReceiverWaiting) {
  OpenPair();
  const EffectId late = Arm(
      {.kind = "late-end", .direction = Direction::kToClient, .parameters = {{"delay", "50ms"}}});
  const TimePoint before = Clock::now();
  ASSERT_TRUE(target_.Send("bye"));
  target_.EndSending();
  EXPECT_EQ(client_.Receive(3), "bye");
  EXPECT_EQ(client_.Next(), Outcome::kEnd);
  EXPECT_GE(Clock::now() - before, 50ms);
  EXPECT_EQ(Heal(late).longest_hold, 50ms);
}

TEST_F(FreshConnectionEffects, BlackHoleWithCloseEndsTheConnection) {
  OpenPair();
  const EffectId hole = Arm(
      {.kind = "black-hole", .direction = Direction::kToClient, .parameters = {{"close", "yes"}}});
  ASSERT_TRUE(target_.Send("lost"));
  EXPECT_TRUE(Eventually([&] { return proxies_.Peek(hole)->bytes_swallowed == 4; }));
  EXPECT_EQ(Heal(hole).connections_closed, 1);
  EXPECT_EQ(client_.Next(), Outcome::kEnd);
  EXPECT_EQ(target_.Next(), Outcome::kEnd);
}

TEST_F(FreshConnectionEffects, SlicedBytesArriveCompleteAndInOrder) {
  OpenPair();
  const EffectId slice =
      Arm({.kind = "slice", .parameters = {{"size", "7B"}, {"variation", "5B"}}});
  const std::string bytes = RandomBytes(3, 100 << 10);
  ASSERT_TRUE(target_.Send(bytes));
  EXPECT_TRUE(client_.Receive(bytes.size()) == bytes);
  EXPECT_GT(Heal(slice).bytes_sliced, 50 << 10);
}

// Which of the next connections an effect with even odds cuts.
class Odds : public FreshConnectionEffects {
 protected:
  std::string CutOfEight(std::uint64_t seed) {
    front_ = Open(seed);
    const EffectId cut = Arm({.kind = "cut", .parameters = {{"future", "yes"}}, .chance = 0.5});
    std::string hit;
    for (int i = 0; i < 8; ++i) {
      client_ = TestPeer::Connect(proxies_.endpoint(front_));
      EXPECT_TRUE(
          Eventually([&] { return proxies_.Connections(front_).size() == hit.size() + 1; }));
      // A connection that was not cut has a target, and must receive its reply.
      const ConnectionState state = proxies_.Connections(front_).back().state;
      if (state != ConnectionState::kReset) {
        target_ = server_.Accept();
        EXPECT_TRUE(target_.Send("x"));
      }
      hit += client_.Next() == Outcome::kReset ? '!' : '.';
      client_.Close();
    }
    EXPECT_EQ(Heal(cut).connections_cut, std::count(hit.begin(), hit.end(), '!'));
    return hit;
  }
};

TEST_F(Odds, AreDecidedByTheSeed) {
  const std::string first = CutOfEight(1);
  EXPECT_EQ(CutOfEight(1), first);
  EXPECT_THAT(first, HasSubstr("!"));
  EXPECT_THAT(first, HasSubstr("."));
  EXPECT_NE(CutOfEight(2) + CutOfEight(3), first + first);
}

TEST_F(FreshConnectionEffects, AffectsOnlyTheChosenConnection) {
  OpenPair();
  TestPeer first = std::move(client_);
  TestPeer first_target = std::move(target_);
  OpenPair();
  const EffectId cut = Arm({.kind = "cut", .connection = ConnectionId(1)});
  EXPECT_EQ(first.Next(), Outcome::kReset);
  ASSERT_TRUE(client_.Send("still here"));
  EXPECT_EQ(target_.Receive(10), "still here");
  EXPECT_EQ(Heal(cut).connections_cut, 1);
}

TEST_F(FreshConnectionEffects, RejectsInvalidSpecs) {
  const auto error = [this](const EffectSpec& spec) {
    const Result<EffectId> armed = proxies_.Arm(front_, spec);
    return armed.has_value() ? "armed" : armed.error().message();
  };
  EXPECT_THAT(error({.kind = "stall", .chance = 1.5}), HasSubstr("between 0 and 1"));
  EXPECT_THAT(error({.kind = "refuse", .chance = 0.5}), HasSubstr("covers all connections"));
  EXPECT_THAT(error({.kind = "corrupt"}), HasSubstr("self-tests only"));
  EXPECT_THAT(error({.kind = "latency", .parameters = {{"spread", "wide"}}}),
              HasSubstr("'wide' is not one of uniform, normal"));
}

}  // namespace
}  // namespace watchproof::proxy
