// SPDX-License-Identifier: Apache-2.0
// What effects that keep frames back do to the wire, to the byte.
#include <gtest/gtest.h>

#include <set>
#include <string>

#include "proxies/http2/test_frames.h"

namespace watchproof::proxy {
namespace {

const std::string kCreated = Response({.watch = 1, .created = true});

TEST(HoldStream, StopsOneStreamWhileItsNeighbourFlows) {
  TestConnection connection;
  connection.OpenStream(3);
  connection.Arm("hold-stream", {});
  connection.Target(Data(1, kCreated) + Data(3, kCreated) + Ping(kFlagAck));
  EXPECT_EQ(connection.ToClient(), Data(3, kCreated) + Ping(kFlagAck));
  connection.Wait(2s);
  connection.Heal();
  EXPECT_EQ(connection.ToClient(), Data(1, kCreated));
  EXPECT_EQ(connection.receipt().frames_withheld, 1);
  EXPECT_EQ(connection.receipt().longest_hold, 2s);
  EXPECT_EQ(connection.held_to_client(), 0);
}

TEST(HoldStream, LeavesRequestsAloneUnlessItsDirectionCoversThem) {
  TestConnection connection;
  connection.Arm("hold-stream", {});
  connection.Client(Data(1, Message("request")));
  EXPECT_EQ(connection.ToTarget(), Data(1, Message("request")));
  TestConnection other;
  other.Arm("hold-stream", {}, Direction::kToTarget);
  other.Client(Data(1, Message("request")));
  other.Target(Data(1, kCreated));
  EXPECT_EQ(other.ToTarget().find("request"), std::string::npos);
  EXPECT_EQ(other.ToClient(), MakeWindowUpdate(FrameStream(0), 12) + Data(1, kCreated));
}

TEST(HoldStream, BeginsWithTheResponseThatHoldsARevision) {
  TestConnection connection;
  connection.Arm("hold-stream", {{"when", "event"}, {"revision", "7"}});
  const std::string before = Response({.events = {5, 6}});
  const std::string at = Response({.events = {7}});
  connection.Target(Data(1, before + at, kFlagEndStream));
  EXPECT_EQ(connection.ToClient(), Data(1, before));
  connection.Heal();
  EXPECT_EQ(connection.ToClient(), Data(1, at, kFlagEndStream));
}

TEST(HoldStream, OpensByItself) {
  TestConnection connection;
  connection.Arm("hold-stream", {{"duration", "50ms"}});
  connection.Target(Data(1, kCreated));
  connection.Wait(49ms);
  EXPECT_EQ(connection.ToClient(), "");
  connection.Wait(1ms);
  EXPECT_EQ(connection.ToClient(), Data(1, kCreated));
  connection.Target(Data(1, kCreated));
  EXPECT_EQ(connection.ToClient(), Data(1, kCreated));
}

// The answer's own headers are not the end of it.
TEST(HoldStream, HoldsAStreamThatIsOpenedUnderItsEyes) {
  TestConnection connection(TestConnection::Opened::kNothing);
  connection.Client(std::string(kPreface) + Settings());
  connection.Target(Settings());
  connection.ToClient();
  connection.Arm("hold-stream", {});
  connection.Client(Headers(1, PathBlock(kWatchPath)) + Data(1, Message("request")));
  connection.Target(Headers(1, kStatus) + Data(1, kCreated));
  EXPECT_EQ(connection.ToClient(), Headers(1, kStatus));
  connection.Heal();
  EXPECT_EQ(connection.ToClient(), Data(1, kCreated));
}

TEST(HoldStream, LetsGoBeforeTheTrailersOfItsStream) {
  TestConnection connection;
  connection.Arm("hold-stream", {});
  const std::string trailers = Headers(1, kStatus, kFlagEndHeaders | kFlagEndStream);
  connection.Target(Data(1, kCreated) + trailers);
  EXPECT_EQ(connection.ToClient(), Data(1, kCreated) + trailers);
}

TEST(WithholdWindow, KeepsBackTheUpdatesOfOneStreamOnly) {
  TestConnection connection;
  connection.OpenStream(3);
  connection.Arm("withhold-window", {}, Direction::kToTarget);
  const std::string other = MakeWindowUpdate(FrameStream(3), 6);
  connection.Client(MakeWindowUpdate(FrameStream(1), 5) + other);
  EXPECT_EQ(connection.ToTarget(), other);
  EXPECT_EQ(connection.receipt().frames_withheld, 1);
  connection.Target(Data(1, kCreated));
  EXPECT_EQ(connection.ToClient(), Data(1, kCreated));
  connection.Heal();
  EXPECT_EQ(connection.ToTarget(), MakeWindowUpdate(FrameStream(1), 5));
}

TEST(DelayWatch, DelaysOneWatcherAndWhatIsSaidToAll) {
  TestConnection connection;
  connection.Arm("delay-watch", {{"watch", "4"}, {"delay", "20ms"}});
  const std::string late = Response({.watch = 4, .events = {5}});
  const std::string other = Response({.watch = 5, .events = {5}});
  const std::string all = Response({.watch = -1, .revision = 5});
  connection.Target(Data(1, late + other + all + other));
  EXPECT_EQ(connection.ToClient(), Data(1, other) + Data(1, other));
  connection.Wait(19ms);
  EXPECT_EQ(connection.ToClient(), "");
  connection.Wait(1ms);
  EXPECT_EQ(connection.ToClient(), Data(1, late) + Data(1, all));
  EXPECT_EQ(connection.receipt().longest_hold, 20ms);
  EXPECT_EQ(connection.held_to_client(), 0);
}

// Where the ids begin is the server's choice: at 0, at 1, or where another stream's ended.
TEST(DelayWatch, TakesTheWatcherThatIsSpokenToFirstIfNoneIsNamed) {
  TestConnection connection;
  connection.Arm("delay-watch", {{"delay", "20ms"}});
  const std::string all = Response({.watch = -1, .revision = 5});
  const std::string late = Response({.watch = 7, .events = {5}});
  const std::string other = Response({.watch = 8, .events = {5}});
  connection.Target(Data(1, all + late + other + late));
  EXPECT_EQ(connection.ToClient(), Data(1, other));
  connection.Wait(20ms);
  EXPECT_EQ(connection.ToClient(), Data(1, all) + Data(1, late) + Data(1, late));
}

TEST(DelayWatch, KnowsAResponseThatIsSpreadOverFrames) {
  TestConnection connection;
  connection.Arm("delay-watch", {{"watch", "4"}, {"delay", "20ms"}});
  connection.Target(Data(1, kCreated));  // from here on it knows where responses begin
  EXPECT_EQ(connection.ToClient(), Data(1, kCreated));
  const std::string late = Response({.watch = 4, .events = {5}});
  connection.Target(Data(1, late.substr(0, 3)) + Data(1, late.substr(3, 10)));
  connection.Target(Data(1, late.substr(13) + kCreated));
  EXPECT_EQ(connection.ToClient(), Data(1, kCreated));
  connection.Wait(20ms);
  EXPECT_EQ(connection.ToClient(),
            Data(1, late.substr(0, 3)) + Data(1, late.substr(3, 10)) + Data(1, late.substr(13)));
}

TEST(DelayWatch, LeavesAResponseAloneThatHadBegunBefore) {
  TestConnection connection;
  const std::string late = Response({.watch = 4, .events = {5}});
  connection.Target(Data(1, late.substr(0, 30)));
  connection.ToClient();
  connection.Arm("delay-watch", {{"watch", "4"}});
  connection.Target(Data(1, late.substr(30)));
  EXPECT_EQ(connection.ToClient(), Data(1, late.substr(30)));
  connection.Target(Data(1, late));
  EXPECT_EQ(connection.ToClient(), "");
}

TEST(HoldCreated, HoldsTheCreationAndWhatFollowsForThatWatcherOnly) {
  TestConnection connection;
  connection.Arm("hold-created", {{"count", "2"}});
  const std::string second = Response({.watch = 2, .created = true});
  const std::string old_event = Response({.watch = 1, .events = {5}});
  const std::string new_event = Response({.watch = 2, .events = {5}});
  connection.Target(Data(1, kCreated) + Data(1, second) + Data(1, new_event + old_event));
  EXPECT_EQ(connection.ToClient(), Data(1, kCreated) + Data(1, old_event));
  connection.Heal();
  EXPECT_EQ(connection.ToClient(), Data(1, second) + Data(1, new_event));
  EXPECT_EQ(connection.receipt().times_triggered, 1);
}

TEST(DropResponse, TakesOneResponseOutAndGivesItsWindowBack) {
  TestConnection connection;
  connection.Arm("drop-response", {{"watch", "4"}, {"count", "2"}});
  const std::string first = Response({.watch = 4, .events = {5}});
  const std::string second = Response({.watch = 4, .events = {6}});
  connection.Target(Data(1, first + second + kCreated));
  EXPECT_EQ(connection.ToClient(), Data(1, first) + Data(1, kCreated));
  const auto size = static_cast<std::int64_t>(second.size());
  EXPECT_EQ(connection.ToTarget(),
            MakeWindowUpdate(FrameStream(1), size) + MakeWindowUpdate(FrameStream(0), size));
  EXPECT_EQ(connection.receipt().frames_swallowed, 1);
  EXPECT_EQ(connection.held_to_client(), 0);
}

TEST(DropResponse, IsForTargetsOfOurOwn) {
  std::set<std::string> marked;
  for (const EffectInfo& effect : KnownEffects()) {
    if (effect.self_test_only) marked.insert(effect.name);
  }
  EXPECT_EQ(marked, (std::set<std::string>{"corrupt", "drop-response"}));
}

TEST(DropPingAnswers, DropsAnswersAndNoQuestions) {
  TestConnection connection;
  connection.Arm("drop-ping-answers", {});
  connection.Target(Ping(kFlagAck) + Ping(0));
  connection.Client(Ping(kFlagAck));
  EXPECT_EQ(connection.ToClient(), Ping(0));
  EXPECT_EQ(connection.ToTarget(), Ping(kFlagAck));
  EXPECT_EQ(connection.receipt().frames_swallowed, 1);
}

}  // namespace
}  // namespace watchproof::proxy
