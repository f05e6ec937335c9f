// SPDX-License-Identifier: Apache-2.0
// A proxy without effects is transparent, whatever its buffers.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <thread>

#include "harness/base/prng.h"
#include "proxies/control/proxy_handle.h"
#include "proxies/control/test_peers.h"

namespace watchproof::proxy {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using Outcome = TestPeer::Outcome;

class Transport : public ::testing::TestWithParam<Buffers> {
 protected:
  Transport() {
    Result<ProxyId> opened =
        proxies_.Open({.name = "front", .target_port = server_.port(), .buffers = GetParam()});
    EXPECT_TRUE(opened.has_value());
    front_ = opened.value_or(ProxyId());
  }
  TestPeer Connect() { return TestPeer::Connect(proxies_.endpoint(front_)); }
  ConnectionState LastState() const { return proxies_.Connections(front_).back().state; }

  TestServer server_;
  Proxies proxies_;
  ProxyId front_;
};

// Sends `bytes` in pieces of many sizes.
void SendInPieces(TestPeer& peer, std::string_view bytes, std::uint64_t seed) {
  Prng prng(seed);
  while (!bytes.empty()) {
    const std::size_t limit = prng.Chance(0.5) ? 100 : 50'000;
    const std::size_t size = std::min<std::size_t>(bytes.size(), 1 + prng.Below(limit));
    ASSERT_TRUE(peer.Send(bytes.substr(0, size)));
    bytes.remove_prefix(size);
  }
}

TEST_P(Transport, CarriesEveryByteBothWaysAtOnce) {
  constexpr std::size_t kSize = 2'000'000;
  const std::string up = RandomBytes(1, kSize);
  const std::string down = RandomBytes(2, kSize);
  TestPeer client = Connect();
  TestPeer target = server_.Accept();
  std::thread send_up([&] { SendInPieces(client, up, 3); });
  std::thread send_down([&] { SendInPieces(target, down, 4); });
  std::string received_down;
  std::thread receive_down([&] { received_down = client.Receive(kSize); });
  const std::string received_up = target.Receive(kSize);
  send_up.join();
  send_down.join();
  receive_down.join();
  EXPECT_TRUE(received_up == up);
  EXPECT_TRUE(received_down == down);
  const ConnectionInfo info = proxies_.Connections(front_).back();
  EXPECT_EQ(info.state, ConnectionState::kOpen);
  EXPECT_EQ(info.bytes_to_client, static_cast<std::int64_t>(kSize));
  EXPECT_EQ(info.bytes_to_target, static_cast<std::int64_t>(kSize));
}

TEST_P(Transport, PassesAHalfCloseWhileTheOtherDirectionGoesOn) {
  TestPeer client = Connect();
  TestPeer target = server_.Accept();
  ASSERT_TRUE(client.Send("question"));
  client.EndSending();
  EXPECT_EQ(target.Receive(8), "question");
  EXPECT_EQ(target.Next(), Outcome::kEnd);
  ASSERT_TRUE(target.Send("answer"));
  EXPECT_EQ(client.Receive(6), "answer");
  target.Close();
  EXPECT_EQ(client.Next(), Outcome::kEnd);
  EXPECT_TRUE(Eventually([&] { return LastState() == ConnectionState::kClosed; }));
}

TEST_P(Transport, PassesAResetAfterTheBytesBeforeIt) {
  TestPeer client = Connect();
  TestPeer target = server_.Accept();
  ASSERT_TRUE(target.Send("last words"));
  EXPECT_EQ(client.Receive(10), "last words");
  target.CloseWithReset();
  EXPECT_EQ(client.Next(), Outcome::kReset);
  EXPECT_TRUE(Eventually([&] { return LastState() == ConnectionState::kReset; }));
}

TEST_P(Transport, ResetsTheTargetWhenAHalfClosedClientVanishes) {
  TestPeer client = Connect();
  TestPeer target = server_.Accept();
  client.EndSending();
  EXPECT_EQ(target.Next(), Outcome::kEnd);
  client.CloseWithReset();
  // Only writing shows that the client is gone; a reader of the target then sees the reset.
  EXPECT_TRUE(Eventually([&] { return !target.Send("x"); }));
  EXPECT_TRUE(Eventually([&] { return LastState() == ConnectionState::kReset; }));
}

TEST_P(Transport, PropagatesBackpressure) {
  TestPeer client = Connect();
  TestPeer target = server_.Accept();
  const std::string flood = RandomBytes(5, 32 << 20);
  const std::size_t taken = FillUp(client, flood, proxies_, front_);
  EXPECT_LT(taken, flood.size());
  EXPECT_TRUE(target.Receive(taken) == flood.substr(0, taken));
}

TEST_P(Transport, KeepsEveryByteWhenAnEffectChangesDuringABulk) {
  TestPeer client = Connect();
  TestPeer target = server_.Accept();
  const std::string flood = RandomBytes(6, 32 << 20);
  const std::size_t taken = FillUp(client, flood, proxies_, front_);
  std::string received = target.Receive(taken / 3);
  const auto stall = proxies_.Arm(front_, {.kind = "stall", .direction = Direction::kToTarget});
  ASSERT_TRUE(stall.has_value()) << stall.error().message();
  ASSERT_TRUE(proxies_.Heal(*stall).has_value());
  received += target.Receive(taken - received.size());
  EXPECT_TRUE(received == flood.substr(0, taken));
}

TEST_P(Transport, LeaksNoDescriptorToChildProcesses) {
  const int before = InheritableDescriptors();
  TestPeer client = Connect();
  TestPeer target = server_.Accept();
  ASSERT_TRUE(client.Send("x"));
  ASSERT_EQ(target.Receive(1), "x");
  EXPECT_EQ(InheritableDescriptors(), before);
}

TEST_P(Transport, ClosesTheClientWhenTheTargetRefuses) {
  server_.StopListening();
  for (int attempt = 0; attempt < 3; ++attempt) {
    TestPeer client = Connect();
    ASSERT_TRUE(client.connected());
    EXPECT_EQ(client.Next(), Outcome::kReset);
  }
  EXPECT_TRUE(Eventually([&] { return LastState() == ConnectionState::kUnreachable; }));
}

TEST_P(Transport, LeaksNothingOverAThousandConnections) {
  const auto visit = [&] {
    TestPeer client = Connect();
    TestPeer target = server_.Accept();
    ASSERT_TRUE(client.Send("x"));
    ASSERT_EQ(target.Receive(1), "x");
  };
  const auto all_ended = [&] {
    for (const ConnectionInfo& one : proxies_.Connections(front_)) {
      if (one.live()) return false;
    }
    return true;
  };
  visit();
  ASSERT_TRUE(Eventually(all_ended));
  const int before = OpenDescriptors();
  for (int i = 0; i < 1000; ++i) visit();
  ASSERT_TRUE(Eventually(all_ended));
  EXPECT_EQ(OpenDescriptors(), before);
}

TEST_P(Transport, StopsPromptlyWithLiveConnections) {
  std::vector<TestPeer> peers;
  for (int i = 0; i < 20; ++i) {
    peers.push_back(Connect());
    peers.push_back(server_.Accept());
  }
  ASSERT_TRUE(proxies_.Arm(front_, {.kind = "stall"}).has_value());
  ASSERT_TRUE(peers[0].Send("held"));
  const TimePoint before = Clock::now();
  proxies_.Stop();
  proxies_.Stop();
  EXPECT_LT(Clock::now() - before, 2s);
  for (TestPeer& peer : peers) EXPECT_EQ(peer.Next(), Outcome::kReset);
  EXPECT_FALSE(Connect().connected());
  EXPECT_EQ(proxies_.Open({.name = "late"}).error().code(), StatusCode::kFailedPrecondition);
}

TEST_P(Transport, SurvivesStopUnderConcurrentCallers) {
  std::vector<std::thread> callers;
  for (int i = 0; i < 4; ++i) {
    callers.emplace_back([&] {
      bool stopped = false;
      while (!stopped) {
        Result<EffectId> armed = proxies_.Arm(front_, {.kind = "latency"});
        stopped = !armed.has_value();
        EXPECT_TRUE(stopped || proxies_.Heal(*armed).has_value());
      }
    });
  }
  EXPECT_TRUE(Eventually([&] { return proxies_.Peek(EffectId(20)).has_value(); }));
  proxies_.Stop();
  for (std::thread& caller : callers) caller.join();
}

TEST_P(Transport, NamesTheTakenPort) {
  const std::string message =
      proxies_.Open({.name = "twin", .listen_port = server_.port(), .target_port = 1})
          .error()
          .message();
  EXPECT_THAT(message, AllOf(HasSubstr("twin"), HasSubstr(std::to_string(server_.port())),
                             HasSubstr("in use")));
}

TEST_P(Transport, NamesTheHostWithoutAddress) {
  const Result<ProxyId> opened = proxies_.Open({.name = "lost", .target_host = "no such host"});
  EXPECT_EQ(opened.error().code(), StatusCode::kInvalidArgument);
  EXPECT_THAT(opened.error().message(), HasSubstr("no such host"));
}

INSTANTIATE_TEST_SUITE_P(Buffers, Transport, ::testing::Values(Buffers::kSharp, Buffers::kRoomy),
                         [](const testing::TestParamInfo<Buffers>& shape) {
                           return shape.param == Buffers::kSharp ? "Sharp" : "Roomy";
                         });

}  // namespace
}  // namespace watchproof::proxy
