// SPDX-License-Identifier: Apache-2.0
// Two diallers of one port are distinguished by a header of their requests.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "proxies/control/callers.h"
#include "proxies/control/proxy_handle.h"
#include "proxies/control/test_peers.h"
#include "proxies/core/listener.h"

namespace watchproof::proxy {
namespace {

using ::testing::HasSubstr;
using Outcome = TestPeer::Outcome;

std::string Request(const std::string& name) {
  return "GET /raft/stream HTTP/1.1\r\nHost: a\r\nX-Server-From: " + name + "\r\nLast: b\r\n\r\n";
}

class CallersTest : public ::testing::Test {
 protected:
  CallersTest() {
    const auto opened = proxies_.Open(
        {.name = "peers", .target_port = server_.port(), .caller_header = "X-Server-From"});
    EXPECT_TRUE(opened.has_value());
    peers_ = opened.value_or(ProxyId());
  }
  // The two ends of a new connection, on which the dialler has sent these bytes.
  std::pair<TestPeer, TestPeer> Dial(const std::string& words) {
    TestPeer client = TestPeer::Connect(proxies_.endpoint(peers_));
    TestPeer target = server_.Accept();
    EXPECT_TRUE(client.Send(words));
    EXPECT_EQ(target.Receive(words.size()), words);
    return {std::move(client), std::move(target)};
  }
  EffectId Arm(const EffectSpec& spec) {
    const auto armed = proxies_.Arm(peers_, spec);
    EXPECT_TRUE(armed.has_value()) << armed.error().message();
    return armed.value_or(EffectId());
  }

  TestServer server_;
  Proxies proxies_;
  ProxyId peers_;
};

TEST_F(CallersTest, AnEffectCoversOnlyTheNamedCaller) {
  auto [one, to_one] = Dial(Request("a1"));
  auto [two, to_two] = Dial(Request("b2"));
  Arm({.kind = "cut", .parameters = {{"future", "yes"}}, .caller = "a1"});
  EXPECT_EQ(one.Next(), Outcome::kReset);
  ASSERT_TRUE(two.Send("on"));
  EXPECT_EQ(to_two.Receive(2), "on");
  auto [three, to_three] = Dial(Request("b2"));
  ASSERT_TRUE(to_three.Send("back"));
  EXPECT_EQ(three.Receive(4), "back");
}

TEST_F(CallersTest, ALaterConnectionIsCoveredFromItsIdentifyingRequest) {
  const EffectId hole = Arm(
      {.kind = "black-hole", .direction = Direction::kToTarget, .parameters = {}, .caller = "a1"});
  TestPeer client = TestPeer::Connect(proxies_.endpoint(peers_));
  TestPeer target = server_.Accept();
  const std::string unnamed = "GET /version HTTP/1.1\r\nHost: a\r\n\r\n";
  ASSERT_TRUE(client.Send(unnamed));
  EXPECT_EQ(target.Receive(unnamed.size()), unnamed);
  const std::string named = Request("a1");
  ASSERT_TRUE(client.Send(named));
  const auto swallowed = [&] { return proxies_.Peek(hole)->bytes_swallowed; };
  EXPECT_TRUE(Eventually([&] { return swallowed() == static_cast<std::int64_t>(named.size()); }));
  EXPECT_EQ(target.unread(), 0U);
}

TEST_F(CallersTest, AHeadInPiecesIsJoined) {
  TestPeer client = TestPeer::Connect(proxies_.endpoint(peers_));
  TestPeer target = server_.Accept();
  const std::string request = Request("a1");
  const std::size_t middle = request.find("Server");
  ASSERT_TRUE(client.Send(request.substr(0, middle)));
  ASSERT_TRUE(client.Send(request.substr(middle)));
  EXPECT_EQ(target.Receive(request.size()), request);
  Arm({.kind = "cut", .parameters = {}, .caller = "a1"});
  EXPECT_EQ(client.Next(), Outcome::kReset);
}

// A member forwards lease requests to its leader without its name.
TEST_F(CallersTest, ABodyWithoutCallerPassesAndALaterRequestIsSeen) {
  TestPeer client = TestPeer::Connect(proxies_.endpoint(peers_));
  TestPeer target = server_.Accept();
  const std::string head = "POST /leases/internal HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\n\r\n";
  ASSERT_TRUE(client.Send(head + "12"));
  EXPECT_EQ(target.Receive(head.size() + 2), head + "12");
  ASSERT_TRUE(client.Send("345"));
  EXPECT_EQ(target.Receive(3), "345");
  const std::string named = Request("a1");
  ASSERT_TRUE(client.Send(named));
  EXPECT_EQ(target.Receive(named.size()), named);
  Arm({.kind = "cut", .parameters = {}, .caller = "a1"});
  EXPECT_EQ(client.Next(), Outcome::kReset);
}

TEST_F(CallersTest, ABodyOfUnknownSizePasses) {
  TestPeer client = TestPeer::Connect(proxies_.endpoint(peers_));
  TestPeer target = server_.Accept();
  const std::string request = "POST / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc";
  ASSERT_TRUE(client.Send(request));
  EXPECT_EQ(target.Receive(request.size()), request);
}

TEST_F(CallersTest, UnidentifiedBytesPassAndHaveNoCaller) {
  const std::string noise(40000, 'x');
  auto [client, target] = Dial(noise);
  Arm({.kind = "cut", .parameters = {}, .caller = "a1"});
  ASSERT_TRUE(client.Send("on"));
  EXPECT_EQ(target.Receive(2), "on");
}

// Or an effect that is armed in between would be attached twice, and healed once.
TEST(Callers, ANameIsThereFromItsReportOn) {
  TestServer server;
  Io io(1);
  Callers callers;
  ConnectionId connection;
  bool reported = false;
  const auto here = [](int port) {
    return Tcp::endpoint(boost::asio::ip::address_v4::loopback(), static_cast<std::uint16_t>(port));
  };
  const auto report = [&reported](ConnectionId) { reported = true; };
  const auto prepare = [&](Connection& made) {
    connection = made.id();
    callers.Follow(io, made, {.header = "X-Server-From", .known = report});
  };
  Listener listener(io, {.listen = here(0), .targets = {here(server.port())}, .prepare = prepare});
  ASSERT_TRUE(listener.Open().ok());
  TestPeer client = TestPeer::Connect(listener.endpoint());
  ASSERT_TRUE(client.Send(Request("a1")));
  while (!reported) {
    EXPECT_EQ(callers.NameOf(connection), "");
    ASSERT_GT(io.run_one_for(kPatience), 0U);
  }
  EXPECT_EQ(callers.NameOf(connection), "a1");
  listener.Close(Listener::CloseNotice::kReset);
  io.run();
}

TEST_F(CallersTest, AProxyWithoutCallerHeaderRejectsSuchEffects) {
  const auto plain = proxies_.Open({.name = "plain", .target_port = server_.port()});
  ASSERT_TRUE(plain.has_value());
  const auto armed = proxies_.Arm(*plain, {.kind = "cut", .caller = "a1"});
  ASSERT_FALSE(armed.has_value());
  EXPECT_THAT(armed.error().message(), HasSubstr("this proxy does not identify callers"));
}

}  // namespace
}  // namespace watchproof::proxy
