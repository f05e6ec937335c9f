// SPDX-License-Identifier: Apache-2.0
// Effects that end streams and connections: the exact bytes on the wire, and the triggers.
#include <gtest/gtest.h>

#include "proxies/http2/test_frames.h"

namespace watchproof::proxy {
namespace {

constexpr FrameStream kStream{1};
constexpr std::uint32_t kInternalError = 2;
const std::string kReset = MakeReset(kStream, kInternalError);

// Runs these messages through a reset-stream, in one DATA frame; returns how many bytes of them the
// client received.
std::size_t BytesBeforeReset(const Parameters& parameters, const std::string& messages) {
  TestConnection connection;
  connection.Arm("reset-stream", parameters);
  connection.Target(Data(1, messages));
  const std::string got = connection.ToClient();
  if (got == Data(1, messages)) return std::string::npos;
  EXPECT_TRUE(got.ends_with(kReset));
  EXPECT_EQ(connection.receipt().times_triggered, 1);
  return got.size() - kReset.size() - kFrameHeaderBytes;
}

TEST(ResetStream, ResetsBothSidesAndSwallowsBytesUnderWay) {
  TestConnection connection;
  connection.OpenStream(3);
  connection.Arm("reset-stream", {{"when", "response"}, {"code", "cancel"}});
  const std::string response = Response({.watch = 1, .events = {5}});
  const std::string reset = MakeReset(kStream, 8);
  connection.Target(Data(1, response + response) + Data(1, response) + Data(3, response));
  EXPECT_EQ(connection.ToClient(), Data(1, response) + reset + Data(3, response));
  const auto swallowed = static_cast<std::int64_t>(2 * response.size());
  EXPECT_EQ(connection.ToTarget(), reset + MakeWindowUpdate(FrameStream(0), swallowed));
  connection.Client(Data(1, Message("late")) + Data(3, Message("other")));
  EXPECT_EQ(connection.ToTarget(), Data(3, Message("other")));
  EXPECT_EQ(connection.held_to_client(), 0);
}

TEST(ResetStream, PassesHeadersToKeepTheDecoderState) {
  TestConnection connection;
  connection.Arm("reset-stream", {{"when", "response"}});
  connection.Target(Data(1, Response({})));
  connection.ToClient();
  const std::string trailers = Headers(1, kStatus, kFlagEndHeaders | kFlagEndStream);
  connection.Target(trailers);
  EXPECT_EQ(connection.ToClient(), trailers);
}

// After a reset, more frames of the stream would be a protocol error for the receiver.
TEST(ResetStream, SwallowsLateFramesOfBothSidesEvenWhenHealed) {
  TestConnection connection;
  connection.Arm("reset-stream", {});
  connection.Target(Data(1, Response({})));
  connection.Heal();
  connection.ToClient();
  connection.ToTarget();
  const std::string late = Data(1, Message("late"));
  connection.Target(late + Ping(0));
  EXPECT_EQ(connection.ToClient(), Ping(0));
  EXPECT_EQ(connection.ToTarget(), MakeWindowUpdate(FrameStream(0), 9));
  connection.Client(late + MakeReset(kStream, 8) + Ping(0));
  EXPECT_EQ(connection.ToTarget(), Ping(0));
  EXPECT_EQ(connection.held_to_client(), 0);
}

TEST(ResetStream, ResetsTheClientAfterBytesThatWaitForWindow) {
  TestConnection connection;
  connection.OpenStream(3);
  connection.Arm("hold-stream", {});
  const std::string part(16000, '\0');
  connection.Target(Data(1, part) + Data(1, part));
  connection.Target(Data(3, part) + Data(3, part) + Data(3, part));
  connection.Heal();
  connection.ToClient();
  connection.Arm("reset-stream", {});
  connection.Client(MakeWindowUpdate(kStream, 5));
  EXPECT_EQ(connection.ToClient(), "");
  connection.Client(MakeWindowUpdate(FrameStream(0), 16000));
  EXPECT_EQ(connection.ToClient(), Data(1, part) + kReset);
}

TEST(ResetStream, ActsWithTheNextFrameOfItsStreamByDefault) {
  TestConnection connection;
  connection.Arm("reset-stream", {});
  connection.Target(Ping(0));
  EXPECT_EQ(connection.ToClient(), Ping(0));
  connection.Client(MakeWindowUpdate(kStream, 5));
  EXPECT_EQ(connection.ToClient(), kReset);
  EXPECT_EQ(connection.ToTarget(), kReset);
}

TEST(ResetStream, ActsOnceByDefault) {
  const auto effect = Make("reset-stream", {{"when", "response"}});
  auto& cut = dynamic_cast<StreamEffect&>(*effect);
  const std::string response = Data(1, Response({}));
  std::string got;
  for (const std::int64_t id : {1, 2}) {
    TestConnection connection;
    connection.Add(cut.MakeFrameStage(ConnectionId(id), Direction::kToClient));
    connection.Target(response);
    got += connection.ToClient() + "/";
  }
  EXPECT_EQ(got, response + kReset + "/" + response + "/");
}

TEST(ResetStream, SupportsEveryTrigger) {
  const std::string created = Response({.watch = 1, .created = true});
  const std::string one = Response({.watch = 1, .events = {5}});
  const std::string two = Response({.watch = 2, .events = {6, 6, 7}});
  const std::string progress = Response({.watch = 1, .revision = 9});
  const std::string gone = Response({.watch = 2, .canceled = true, .compacted = 8});
  const std::string all = created + one + two + progress + gone;
  const std::size_t after_one = created.size() + one.size();
  const std::size_t after_two = after_one + two.size();
  const std::size_t after_progress = after_two + progress.size();
  struct Row {
    Parameters parameters;
    std::size_t bytes;
  };
  const Row rows[] = {
      {{{"when", "created"}}, created.size()},
      {{{"when", "response"}, {"count", "2"}}, after_one},
      {{{"when", "response"}, {"watch", "2"}}, after_two},
      {{{"when", "response"}, {"watch", "3"}}, std::string::npos},
      {{{"when", "event"}, {"revision", "5"}}, after_one},
      {{{"when", "event"}, {"revision", "7"}}, after_two},
      {{{"when", "event"}, {"revision", "6"}},
       after_one + two.size() - 2 * TestEvent(6, "v").size()},
      {{{"when", "progress"}}, after_progress},
      {{{"when", "compaction"}}, after_progress + gone.size()},
      {{{"when", "bytes"}, {"bytes", "9B"}}, 9},
      {{{"when", "fragment"}}, std::string::npos},
  };
  for (const Row& row : rows) {
    EXPECT_EQ(BytesBeforeReset(row.parameters, all), row.bytes) << row.parameters.at("when");
  }
}

TEST(ResetStream, TriggersOnACompactionRequestOfItsConnection) {
  TestConnection connection;
  connection.Arm("reset-stream", {{"when", "compaction"}});
  const std::string event = Data(1, Response({.watch = 1, .events = {5}}));
  connection.Target(event);
  EXPECT_EQ(connection.ToClient(), event);
  connection.Client(Headers(3, PathBlock(kCompactPath)));
  connection.Target(event);
  EXPECT_EQ(connection.ToClient(), event);
  connection.Target(Headers(3, kStatus) + event);
  EXPECT_EQ(connection.ToClient(), Headers(3, kStatus) + event + kReset);
}

TEST(ResetStream, IgnoresCompressedOrForeignMessages) {
  const std::string compressed = Message(std::string("\x10\x01", 2), true);
  const std::string foreign = Message("\xff\xff\xff");
  const Parameters second{{"when", "response"}, {"watch", "1"}};
  EXPECT_EQ(BytesBeforeReset(second, compressed + foreign), std::string::npos);
}

TEST(CutBetweenFragments, PassesTheKthFragmentAndNotTheNext) {
  const std::string first = Response({.watch = 1, .fragment = true, .events = {5}});
  const std::string whole = Response({.watch = 2, .events = {5}});
  const std::string last = Response({.watch = 1, .events = {5}});
  TestConnection connection;
  connection.Arm("cut-between-fragments", {{"fragment", "2"}});
  connection.Target(Data(1, first + last + whole + first + first + last));
  EXPECT_EQ(connection.ToClient(), Data(1, first + last + whole + first + first) + kReset);
}

TEST(CutBetweenFragments, CanResetTheConnection) {
  const std::string first = Response({.watch = 1, .fragment = true, .events = {5}});
  TestConnection connection;
  connection.Arm("cut-between-fragments", {{"how", "connection"}});
  connection.Target(Data(1, first + first) + Ping(0));
  EXPECT_EQ(connection.ToClient(), Data(1, first) + "!");
  EXPECT_TRUE(connection.to_client().shut());
  EXPECT_EQ(connection.receipt().connections_cut, 1);
  // A client that reads nothing any more can still reset the connection.
  EXPECT_FALSE(connection.to_target().shut());
  connection.ResetOfClient();
  EXPECT_EQ(connection.ToTarget(), "!");
}

TEST(CutAfterEvent, CutsAfterTheFirstEventOfTheRevision) {
  const std::string response = Response({.watch = 1, .events = {5, 6, 6}});
  const std::size_t rest = TestEvent(6, "v").size();
  TestConnection connection;
  connection.Arm("cut-after-event", {{"revision", "6"}});
  // Wherever frames begin and end.
  connection.Target(Data(1, response.substr(0, 20)) + Data(1, response.substr(20)));
  EXPECT_EQ(connection.ToClient(), Data(1, response.substr(0, 20)) +
                                       Data(1, response.substr(20, response.size() - rest - 20)) +
                                       kReset);
}

TEST(GoAway, NamesTheLastStreamAndRefusesHigherOnes) {
  TestConnection connection;
  connection.OpenStream(3);
  connection.Arm("goaway", {{"last", "1"}, {"when", "response"}, {"code", "enhance-your-calm"}});
  const std::string response = Response({.watch = 1});
  connection.Target(Data(1, response));
  EXPECT_EQ(connection.ToClient(), Data(1, response) + MakeGoAway(kStream, 11));
  connection.Target(Data(3, response) + Data(3, response) + Data(1, response));
  EXPECT_EQ(connection.ToClient(), Data(1, response));
  const std::string refusal = MakeReset(FrameStream(3), 7);
  const auto swallowed = static_cast<std::int64_t>(2 * response.size());
  EXPECT_EQ(connection.ToTarget(), refusal + MakeWindowUpdate(FrameStream(0), swallowed));
  EXPECT_EQ(connection.receipt().streams_refused, 1);
}

// RFC 9113, section 6.8: the last stream that was named must not become a later one.
TEST(GoAway, LowersTheLastStreamOfLaterGoAways) {
  TestConnection connection;
  connection.Arm("goaway", {{"last", "1"}});
  connection.Target(Data(1, Response({})));
  EXPECT_EQ(connection.ToClient(), Data(1, Response({})) + MakeGoAway(kStream, 0));
  connection.Target(MakeGoAway(FrameStream(0x7fffffff), 0));
  EXPECT_EQ(connection.ToClient(), MakeGoAway(kStream, 0));
  connection.Heal();
  connection.Target(MakeGoAway(FrameStream(3), 2) + MakeGoAway(FrameStream(0), 2));
  EXPECT_EQ(connection.ToClient(), MakeGoAway(kStream, 2) + MakeGoAway(FrameStream(0), 2));
}

// A stream that was never opened cannot be reset: its target would give up the connection.
TEST(GoAway, RefusesOnlyOpenedStreams) {
  TestConnection connection;
  connection.Arm("goaway", {{"last", "1"}});
  connection.Target(Data(1, Response({})));
  const std::string priority =
      MakeFrame({.type = FrameType{2}, .stream = FrameStream(5)}, std::string(5, '\0'));
  connection.Client(priority);
  EXPECT_EQ(connection.ToTarget(), priority);
  const std::string opened = Headers(5, PathBlock(kWatchPath));
  connection.Client(opened);
  EXPECT_EQ(connection.ToTarget(), opened + MakeReset(FrameStream(5), 7));
}

TEST(GoAway, RejectsAStreamIdThatDoesNotFitItsFrame) {
  const auto kind = FindEffect("goaway");
  ASSERT_TRUE(kind.has_value());
  EXPECT_TRUE(MakeEffect(**kind, {{"last", "2147483647"}}, Prng(1), kStart).has_value());
  EXPECT_FALSE(MakeEffect(**kind, {{"last", "2147483648"}}, Prng(1), kStart).has_value());
}

TEST(StreamEffects, RejectInvalidValues) {
  const auto kind = FindEffect("reset-stream");
  ASSERT_TRUE(kind.has_value());
  const Parameters refused[] = {
      {{"code", "cancelled"}}, {{"stream", "0"}}, {{"when", "never"}}, {{"count", "1.5"}}};
  for (const Parameters& parameters : refused) {
    EXPECT_FALSE(MakeEffect(**kind, parameters, Prng(1), kStart).has_value())
        << parameters.begin()->first;
  }
}

}  // namespace
}  // namespace watchproof::proxy
