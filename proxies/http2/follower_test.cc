// SPDX-License-Identifier: Apache-2.0
#include "proxies/http2/follower.h"

#include <gtest/gtest.h>

#include "proxies/http2/test_frames.h"

namespace watchproof::proxy {
namespace {

using Opened = TestConnection::Opened;

std::string Everything() {
  return Settings() + Headers(1, kStatus) + Ping(kFlagAck) +
         Data(1, Response({.watch = 3, .events = {5, 6}})) + MakeWindowUpdate(FrameStream(0), 9) +
         MakeGoAway(FrameStream(1), 2) + MakeFrame({.type = FrameType{0x21}}, "unknown") +
         MakeReset(FrameStream(1), 8);
}

TEST(Follower, ForwardsEveryByteUnchanged) {
  const std::string from_client = std::string(kPreface) + Settings() +
                                  Headers(1, PathBlock(kWatchPath)) + Data(1, Message("request"));
  const std::string from_target = Everything();
  for (const std::size_t size : {1U, 2U, 7U, 1000U}) {
    for (const bool armed : {false, true}) {
      TestConnection connection(Opened::kNothing);
      if (armed) connection.Arm("hold-stream", {{"stream", "2"}});
      std::string to_target;
      std::string to_client;
      for (std::size_t at = 0; at < from_client.size(); at += size) {
        connection.Client(from_client.substr(at, size));
        to_target += connection.ToTarget();
      }
      for (std::size_t at = 0; at < from_target.size(); at += size) {
        connection.Target(from_target.substr(at, size));
        to_client += connection.ToClient();
      }
      EXPECT_EQ(to_target, from_client) << size;
      EXPECT_EQ(to_client, from_target) << size;
      EXPECT_EQ(connection.held_to_client(), 0) << size;
      EXPECT_EQ(connection.note(), "");
    }
  }
}

TEST(Follower, ForwardsOtherProtocols) {
  TestConnection connection(Opened::kNothing);
  connection.Arm("hold-stream", {});
  connection.Client("GET / HTTP/1.1\r\n");
  EXPECT_EQ(connection.ToTarget(), "GET / HTTP/1.1\r\n");
  connection.Target("H");
  EXPECT_EQ(connection.ToClient(), "H");
  EXPECT_NE(connection.note(), "");
  EXPECT_EQ(connection.receipt().connections_unfollowed, 1);
}

TEST(Follower, ForwardsHeldBytesWhenTheProtocolIsNotHttp2) {
  TestConnection connection(Opened::kNothing);
  connection.Client("PRI * X");
  EXPECT_EQ(connection.ToTarget(), "PRI * X");
}

TEST(Follower, GivesUpOnFramesLongerThanTheirReceiverAllowed) {
  TestConnection connection;
  const std::string header = MakeFrame({}, std::string(kDefaultMaxFrame + 1, 'x')).substr(0, 9);
  connection.Target(header);
  EXPECT_EQ(connection.ToClient(), header);
  EXPECT_NE(connection.note(), "");
  connection.Target("and so on");
  EXPECT_EQ(connection.ToClient(), "and so on");
}

TEST(Follower, AcceptsFramesUpToTheReceiversLimit) {
  TestConnection connection;
  connection.Client(Settings({{0x5, 1 << 20}}));
  const std::string frame = Data(1, std::string(1 << 20, '\0'));
  connection.Target(frame);
  EXPECT_EQ(connection.ToClient(), frame);
  EXPECT_EQ(connection.note(), "");
}

TEST(Follower, GivesUpOnHeadersThatCannotBeDecoded) {
  TestConnection connection;
  const std::string bad = Headers(3, "\xff\xff\xff\xff\xff\xff");
  connection.Client(bad + Ping(0));
  EXPECT_EQ(connection.ToTarget(), bad + Ping(0));
  EXPECT_NE(connection.note(), "");
}

TEST(Follower, ReleasesHeldUnitsWhenItGivesUp) {
  TestConnection connection;
  connection.Arm("hold-stream", {});
  connection.Target(Data(1, Message("held")));
  EXPECT_EQ(connection.ToClient(), "");
  connection.Target(Headers(1, "\xff\xff\xff\xff\xff\xff"));
  EXPECT_EQ(connection.ToClient(),
            Data(1, Message("held")) + Headers(1, "\xff\xff\xff\xff\xff\xff"));
  EXPECT_EQ(connection.held_to_client(), 0);
}

// The path of the second stream is only an index into what the first one put into the table.
TEST(Follower, ReadsHeadersThatReferToEarlierOnes) {
  TestConnection connection(Opened::kNothing);
  connection.Client(std::string(kPreface) + Settings());
  connection.Target(Settings());
  std::string block = PathBlock(kWatchPath);
  block[0] = '\x44';
  connection.Client(Headers(1, block) + Headers(3, "\xbe"));
  connection.ToTarget();
  connection.Arm("hold-stream", {{"stream", "2"}});
  connection.Target(Headers(1, kStatus) + Headers(3, kStatus));
  connection.ToClient();
  connection.Target(Data(1, Message("one")) + Data(3, Message("two")));
  EXPECT_EQ(connection.ToClient(), Data(1, Message("one")));
}

TEST(Follower, ReadsHeadersThatAreContinued) {
  TestConnection connection;
  const std::string block = PathBlock(kWatchPath);
  const auto rest = MakeFrame(
      {.type = FrameType::kContinuation, .flags = kFlagEndHeaders, .stream = FrameStream(3)},
      block.substr(4));
  connection.Client(Headers(3, block.substr(0, 4), 0));
  EXPECT_EQ(connection.ToTarget(), "");
  connection.Client(rest);
  EXPECT_EQ(connection.ToTarget(), Headers(3, block.substr(0, 4), 0) + rest);
  connection.Arm("hold-stream", {{"stream", "2"}});
  connection.Target(Data(3, Message("held")) + Data(1, Message("passes")));
  EXPECT_EQ(connection.ToClient(), Data(1, Message("passes")));
}

TEST(Follower, PassesTheEndAfterHeldUnits) {
  TestConnection connection;
  connection.Arm("hold-stream", {});
  connection.Target(Data(1, Message("held")));
  connection.EndOfTarget();
  EXPECT_EQ(connection.ToClient(), "");
  connection.Heal();
  EXPECT_EQ(connection.ToClient(), Data(1, Message("held")) + "|");
}

TEST(Follower, ReadsAheadOnlyForHeldUnits) {
  TestConnection connection;
  EXPECT_EQ(connection.to_client().read_ahead(), 0);
  connection.Arm("hold-stream", {});
  connection.Target(Data(1, std::string(100, '\0')));
  EXPECT_GT(connection.to_client().read_ahead(), 100);
  connection.Heal();
  EXPECT_EQ(connection.to_client().read_ahead(), 0);
}

// Or the receiver would take what was held for the rest of that frame.
TEST(Follower, PassesAPartialFrameAfterHeldUnits) {
  TestConnection connection;
  connection.OpenStream(3);
  connection.Arm("hold-stream", {});
  const std::string torn = Data(3, Message("never whole")).substr(0, 12);
  connection.Target(Data(1, Message("held")) + torn);
  connection.EndOfTarget();
  EXPECT_EQ(connection.ToClient(), "");
  connection.Heal();
  EXPECT_EQ(connection.ToClient(), Data(1, Message("held")) + torn + "|");
  EXPECT_EQ(connection.held_to_client(), 0);
}

// A window of 65535 bytes is shared by two streams. Without a loan the held stream would stop the
// other one for good.
TEST(Follower, LendsTheSenderTheWindowOfHeldBytes) {
  TestConnection connection;
  connection.OpenStream(3);
  connection.Arm("hold-stream", {});
  const std::string part(16000, '\0');
  connection.Target(Data(1, part) + Data(1, part) + Data(1, part));
  EXPECT_EQ(connection.ToClient(), "");
  EXPECT_EQ(connection.ToTarget(), MakeWindowUpdate(FrameStream(0), 48000));

  // The neighbour uses up what the client granted; then the held bytes must wait for more room.
  connection.Target(Data(3, part) + Data(3, part) + Data(3, part));
  EXPECT_EQ(connection.ToClient(), Data(3, part) + Data(3, part) + Data(3, part));
  connection.Heal();
  EXPECT_EQ(connection.ToClient(), Data(1, part));
  // The client's update first pays back the loan, and only the rest is the sender's.
  connection.Client(MakeWindowUpdate(FrameStream(0), 40000));
  EXPECT_EQ(connection.ToTarget(), "");
  EXPECT_EQ(connection.ToClient(), Data(1, part) + Data(1, part));
  connection.Client(MakeWindowUpdate(FrameStream(0), 10000));
  EXPECT_EQ(connection.ToTarget(), MakeWindowUpdate(FrameStream(0), 2000));
  connection.Client(MakeWindowUpdate(FrameStream(0), 5000));
  EXPECT_EQ(connection.ToTarget(), MakeWindowUpdate(FrameStream(0), 5000));
  EXPECT_EQ(connection.held_to_client(), 0);
}

// All that was held fits, but the sender still has what was lent to it.
TEST(Follower, KeepsToTheReceiversWindowAfterAHold) {
  TestConnection connection;
  connection.OpenStream(3);
  connection.Arm("hold-stream", {});
  const std::string part(16000, '\0');
  connection.Target(Data(1, part) + Data(1, part) + Data(1, part));
  connection.Heal();
  EXPECT_EQ(connection.ToClient(), Data(1, part) + Data(1, part) + Data(1, part));
  connection.Target(Data(3, part) + Data(3, part));
  EXPECT_EQ(connection.ToClient(), Data(3, part));
  connection.Client(MakeWindowUpdate(FrameStream(0), 15000));
  EXPECT_EQ(connection.ToClient(), Data(3, part));
  EXPECT_EQ(connection.held_to_client(), 0);
}

TEST(Follower, CutsAFrameLargerThanTheWindow) {
  TestConnection connection;
  connection.OpenStream(3);
  connection.Client(Settings({{0x5, 1 << 20}}));
  connection.Arm("hold-stream", {});
  connection.Target(Data(1, std::string(65000, '\0')));
  connection.Heal();
  connection.ToClient();
  connection.Target(Data(3, std::string(60000, '\0'), kFlagEndStream));
  EXPECT_EQ(connection.ToClient(), Data(3, std::string(535, '\0')));
  connection.Client(MakeWindowUpdate(FrameStream(0), 65000));
  EXPECT_EQ(connection.ToClient(), Data(3, std::string(59465, '\0'), kFlagEndStream));
  EXPECT_EQ(connection.held_to_client(), 0);
}

// Other stages cut chunks into pieces, and must not have to do so with megabytes.
TEST(Follower, ReleasesHeldBytesInOrdinaryChunks) {
  TestConnection connection;
  connection.Arm("hold-stream", {});
  connection.Client(MakeWindowUpdate(FrameStream(0), 1 << 20));
  for (int i = 0; i < 50; ++i) connection.Target(Data(1, std::string(10000, '\0')));
  connection.HealWithoutPulling();
  std::size_t chunks = 0;
  while (const auto chunk = connection.to_client().Pull(kStart)) {
    EXPECT_LT(chunk->bytes.size(), 40000U);
    ++chunks;
  }
  EXPECT_GT(chunks, 12U);
}

}  // namespace
}  // namespace watchproof::proxy
