// SPDX-License-Identifier: Apache-2.0
// Stream effects over real sockets: armed and healed from another thread, on connections old and
// new.
#include <gtest/gtest.h>

#include "proxies/control/proxy_handle.h"
#include "proxies/control/test_peers.h"
#include "proxies/http2/test_frames.h"

namespace watchproof::proxy {
namespace {

class Streams : public ::testing::Test {
 protected:
  Streams() {
    front_ = proxies_.Open({.name = "front", .target_port = server_.port(), .follow_streams = true})
                 .value();
  }
  // One connection with two watch streams, 1 and 3.
  void OpenPair() {
    client_ = TestPeer::Connect(proxies_.endpoint(front_));
    target_ = server_.Accept();
    const std::string requests = std::string(kPreface) + Settings() +
                                 Headers(1, PathBlock(kWatchPath)) +
                                 Headers(3, PathBlock(kWatchPath));
    const std::string answers = Settings() + Headers(1, kStatus) + Headers(3, kStatus);
    ASSERT_TRUE(client_.Send(requests) && target_.Send(answers));
    ASSERT_EQ(target_.Receive(requests.size()), requests);
    ASSERT_EQ(client_.Receive(answers.size()), answers);
  }
  EffectId Arm(const std::string& kind, const Parameters& parameters = {},
               Direction direction = Direction::kToClient) {
    const auto armed =
        proxies_.Arm(front_, {.kind = kind, .direction = direction, .parameters = parameters});
    EXPECT_TRUE(armed.has_value()) << armed.error().message();
    return armed.value();
  }
  void ExpectClientGets(const std::string& bytes) {
    EXPECT_EQ(client_.Receive(bytes.size()), bytes);
  }

  TestServer server_;
  Proxies proxies_;
  ProxyId front_{};
  TestPeer client_{-1};
  TestPeer target_{-1};
  const std::string created_ = Response({.watch = 1, .created = true});
};

TEST_F(Streams, AHeldStreamDoesNotBlockItsNeighbour) {
  OpenPair();
  const EffectId hold = Arm("hold-stream");
  const std::string part = Data(3, std::string(16000, '\0'));
  ASSERT_TRUE(target_.Send(Data(1, created_)));
  for (int i = 0; i < 200; ++i) {
    ASSERT_TRUE(target_.Send(part));
    ASSERT_EQ(client_.Receive(part.size()), part) << i;
    ASSERT_TRUE(client_.Send(MakeWindowUpdate(FrameStream(0), 16000)));
  }
  const auto receipt = proxies_.Heal(hold);
  ASSERT_TRUE(receipt.has_value());
  EXPECT_EQ(receipt->frames_withheld, 1);
  ExpectClientGets(Data(1, created_));
}

TEST_F(Streams, EffectsCoverLaterConnections) {
  Arm("reset-stream", {{"when", "created"}});
  OpenPair();
  ASSERT_TRUE(target_.Send(Data(1, created_)));
  const std::string reset = MakeReset(FrameStream(1), 2);
  ExpectClientGets(Data(1, created_) + reset);
  EXPECT_EQ(target_.Receive(reset.size()), reset);
}

TEST_F(Streams, DelaysRunWithoutExternalEvents) {
  OpenPair();
  Arm("delay-watch", {{"watch", "1"}, {"delay", "30ms"}});
  const TimePoint sent = Clock::now();
  ASSERT_TRUE(target_.Send(Data(1, created_)));
  ExpectClientGets(Data(1, created_));
  EXPECT_GE(Clock::now() - sent, 30ms);
}

TEST_F(Streams, ACutStreamCanResetItsConnection) {
  OpenPair();
  const EffectId cut = Arm("cut-after-event", {{"how", "connection"}});
  ASSERT_TRUE(target_.Send(Data(1, Response({.events = {5}}))));
  client_.Receive(Data(1, Response({.events = {5}})).size());
  EXPECT_EQ(client_.Next(), TestPeer::Outcome::kReset);
  EXPECT_EQ(target_.Next(), TestPeer::Outcome::kReset);
  EXPECT_EQ(proxies_.Heal(cut)->connections_cut, 1);
}

TEST_F(Streams, OtherProtocolsHaveNoStreams) {
  const EffectId hold = Arm("hold-stream");
  client_ = TestPeer::Connect(proxies_.endpoint(front_));
  target_ = server_.Accept();
  ASSERT_TRUE(target_.Send("220 ready") && client_.Send("HELO"));
  ExpectClientGets("220 ready");
  EXPECT_EQ(target_.Receive(4), "HELO");
  EXPECT_EQ(proxies_.Heal(hold)->connections_unfollowed, 1);
}

TEST_F(Streams, EffectsNeedAProxyThatFollowsStreams) {
  const ProxyId plain = proxies_.Open({.name = "plain", .target_port = server_.port()}).value();
  EXPECT_FALSE(proxies_.Arm(plain, {.kind = "hold-stream"}).has_value());
}

}  // namespace
}  // namespace watchproof::proxy
