// SPDX-License-Identifier: Apache-2.0
// Effects on single responses of a stream: whatever they hold, delay or drop, no response is ever
// put into the middle of another one, and none comes after the end of the stream.
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "harness/base/prng.h"
#include "proxies/http2/test_frames.h"

namespace watchproof::proxy {
namespace {

const std::string kCreated = Response({.watch = 1, .created = true});
const std::string kLate = Response({.watch = 4, .events = {5}});
const std::string kOther = Response({.watch = 5, .events = {5, 6}});
const std::string kTrailers = Headers(1, kStatus, kFlagEndHeaders | kFlagEndStream);

// Delays watch 4 by 20 ms; earlier responses have passed, so that the stage has seen where one
// begins.
class Delay : public ::testing::Test {
 protected:
  Delay() {
    connection_.Arm("delay-watch", {{"watch", "4"}, {"delay", "20ms"}});
    connection_.Target(Data(1, kCreated));
    connection_.ToClient();
  }
  ~Delay() override { EXPECT_EQ(connection_.held_to_client(), 0); }

  TestConnection connection_;
};

TEST_F(Delay, WaitsForTheEndOfTheResponseUnderWay) {
  connection_.Target(Data(1, kLate) + Data(1, kOther.substr(0, 30)));
  EXPECT_EQ(connection_.ToClient(), Data(1, kOther.substr(0, 30)));
  connection_.Wait(20ms);
  EXPECT_EQ(connection_.ToClient(), "");
  EXPECT_EQ(connection_.to_client().wake_at(), kNever);  // nothing to wake up for
  connection_.Target(Data(1, kOther.substr(30) + kCreated));
  EXPECT_EQ(connection_.ToClient(),
            Data(1, kOther.substr(30)) + Data(1, kLate) + Data(1, kCreated));
}

TEST_F(Delay, ReleasesAllPartsOfAResponseTogether) {
  connection_.Target(Data(1, kLate.substr(0, 30)));
  connection_.Wait(10ms);
  connection_.Target(Data(1, kLate.substr(30) + kOther));
  EXPECT_EQ(connection_.ToClient(), Data(1, kOther));
  connection_.Wait(10ms);
  EXPECT_EQ(connection_.ToClient(), Data(1, kLate.substr(0, 30)) + Data(1, kLate.substr(30)));
}

TEST_F(Delay, PassesTheRestOfAResponseThatHasBegun) {
  connection_.Target(Data(1, kLate.substr(0, 30)));
  connection_.Wait(20ms);
  EXPECT_EQ(connection_.ToClient(), Data(1, kLate.substr(0, 30)));
  connection_.Target(Data(1, kLate.substr(30) + kOther + kLate));
  EXPECT_EQ(connection_.ToClient(), Data(1, kLate.substr(30)) + Data(1, kOther));
  connection_.Wait(20ms);
  EXPECT_EQ(connection_.ToClient(), Data(1, kLate));
}

TEST_F(Delay, ReleasesBeforeTheEndOfItsStream) {
  connection_.Target(Data(1, kLate));
  connection_.Target(Data(1, kOther, kFlagEndStream));
  EXPECT_EQ(connection_.ToClient(), Data(1, kOther) + Data(1, kLate) + Data(1, "", kFlagEndStream));
}

TEST_F(Delay, HoldsNoEmptyFrameThatEndsTheStream) {
  connection_.Target(Data(1, "", kFlagEndStream));
  EXPECT_EQ(connection_.ToClient(), Data(1, "", kFlagEndStream));
}

TEST_F(Delay, ReleasesUndecidedBytesBeforeTheTrailers) {
  connection_.Target(Data(1, kLate.substr(0, 3)));
  EXPECT_EQ(connection_.ToClient(), "");
  connection_.Target(kTrailers);
  EXPECT_EQ(connection_.ToClient(), Data(1, kLate.substr(0, 3)) + kTrailers);
}

TEST_F(Delay, PassesOtherBytesUnchanged) {
  connection_.Target(Data(1, "<html>"));
  EXPECT_EQ(connection_.ToClient(), Data(1, "<html>"));
  connection_.Target(Data(1, "</html>"));
  EXPECT_EQ(connection_.ToClient(), Data(1, "</html>"));
}

TEST_F(Delay, RemovesThePaddingAndReturnsItsWindow) {
  const std::string padded = "\x03" + kLate + std::string(3, '\0');
  connection_.Target(Data(1, padded, kFlagPadded) + Data(1, kOther));
  EXPECT_EQ(connection_.ToClient(), Data(1, kOther));
  EXPECT_EQ(connection_.ToTarget(),
            MakeWindowUpdate(FrameStream(1), 4) +
                MakeWindowUpdate(FrameStream(0), static_cast<std::int64_t>(padded.size())));
  connection_.Wait(20ms);
  EXPECT_EQ(connection_.ToClient(), Data(1, kLate));
}

// The watch id comes after the cut; the first bytes of the response have passed already.
TEST(DelayWatch, PassesAResponseThatHadBegunBeforeArming) {
  TestConnection connection;
  connection.Target(Data(1, kLate.substr(0, 3)));
  connection.Arm("delay-watch", {{"watch", "4"}});
  connection.Target(Data(1, kLate.substr(3) + kOther));
  EXPECT_EQ(connection.ToClient(),
            Data(1, kLate.substr(0, 3)) + Data(1, kLate.substr(3)) + Data(1, kOther));
}

TEST(HoldCreated, HealedDuringAResponseReleasesAfterIt) {
  for (const bool ends : {false, true}) {
    TestConnection connection;
    connection.Arm("hold-created", {});
    connection.Target(Data(1, kOther + kCreated + kOther.substr(0, 30)));
    EXPECT_EQ(connection.ToClient(), Data(1, kOther) + Data(1, kOther.substr(0, 30)));
    connection.Heal();
    EXPECT_EQ(connection.ToClient(), "");
    if (ends) {
      connection.Target(kTrailers);
      EXPECT_EQ(connection.ToClient(), Data(1, kCreated) + kTrailers);
    } else {
      connection.Target(Data(1, kOther.substr(30) + kOther));
      EXPECT_EQ(connection.ToClient(),
                Data(1, kOther.substr(30)) + Data(1, kCreated) + Data(1, kOther));
      connection.Target(Data(1, kOther + kOther));
      EXPECT_EQ(connection.ToClient(), Data(1, kOther + kOther));
    }
    EXPECT_EQ(connection.held_to_client(), 0);
  }
}

TEST(HoldCreated, EndsAfterItsDuration) {
  TestConnection connection;
  connection.Arm("hold-created", {{"duration", "20ms"}});
  connection.Target(Data(1, kCreated));
  EXPECT_EQ(connection.ToClient(), "");
  connection.Wait(20ms);
  EXPECT_EQ(connection.ToClient(), Data(1, kCreated));
  connection.Target(Data(1, kCreated + kOther));
  EXPECT_EQ(connection.ToClient(), Data(1, kCreated) + Data(1, kOther));
}

// What the DATA frames among `frames` carry, one after the other.
std::string PayloadOf(std::string_view frames) {
  std::string payload;
  while (!frames.empty()) {
    const FrameHeader header = ReadFrameHeader(frames);
    const std::string_view frame = frames.substr(0, kFrameHeaderBytes + header.length);
    if (header.type == FrameType::kData) payload += frame.substr(kFrameHeaderBytes);
    frames.remove_prefix(frame.size());
  }
  return payload;
}

// The revisions of the responses by their watch, in the order in which they came; -1 is for those
// that are none.
std::map<std::int64_t, std::vector<std::int64_t>> RevisionsOf(std::string_view payload) {
  std::map<std::int64_t, std::vector<std::int64_t>> all;
  WatchScanner scanner(WatchScanner::Side::kResponses);
  for (const WatchOffset& offset : scanner.Feed(payload)) {
    if (offset.kind != WatchOffset::Kind::kEnd) continue;
    all[offset.facts.readable ? offset.facts.watch_id : -1].push_back(offset.facts.revision);
  }
  return all;
}

// Sends forty responses to three watchers, cut anywhere, with pauses; heals somewhere.
void SendCutAnywhere(TestConnection& connection, const std::string& sent, Prng prng) {
  const std::uint64_t healed_at = prng.Below(2 * sent.size());
  bool healed = false;
  for (std::size_t at = 0; at < sent.size();) {
    const std::size_t size = std::min<std::size_t>(1 + prng.Below(40), sent.size() - at);
    connection.Target(Data(1, sent.substr(at, size)));
    at += size;
    if (prng.Chance(0.3)) connection.Wait(std::chrono::milliseconds(prng.Below(4)));
    if (at >= healed_at && !healed) connection.Heal();
    healed |= at >= healed_at;
  }
  connection.Target(kTrailers);
}

TEST(Responses, AreNeverMixedLostOrReorderedForAnyWatcher) {
  for (std::uint64_t seed = 1; seed <= 300; ++seed) {
    Prng prng(seed);
    std::string sent;
    for (std::uint64_t revision = 2; revision < 42; ++revision) {
      sent += Response({.watch = static_cast<std::int64_t>(prng.Below(3)),
                        .revision = revision,
                        .created = prng.Chance(0.1),
                        .events = std::vector<std::uint64_t>(prng.Below(4), revision)});
    }
    for (const bool delay : {true, false}) {
      TestConnection connection;
      if (delay) {
        connection.Arm("delay-watch", {{"watch", "1"}, {"delay", "5ms"}});
      } else {
        connection.Arm("hold-created", {{"count", "2"}, {"duration", "20ms"}});
      }
      SendCutAnywhere(connection, sent, prng.Fork("cuts"));
      const std::string got = connection.ToClient();
      ASSERT_TRUE(got.ends_with(kTrailers)) << seed;
      ASSERT_EQ(RevisionsOf(PayloadOf(got)), RevisionsOf(sent)) << seed;
      ASSERT_EQ(connection.held_to_client(), 0) << seed;
    }
  }
}

// The client has closed its half, so the stream is over with the frame of the response.
TEST(DropResponse, DropsTheLastResponseOfAStream) {
  TestConnection connection;
  connection.Arm("drop-response", {{"watch", "4"}});
  connection.Client(Data(1, "", kFlagEndStream));
  connection.Target(Data(1, kLate, kFlagEndStream));
  EXPECT_EQ(connection.ToClient(), Data(1, "", kFlagEndStream));
}

}  // namespace
}  // namespace watchproof::proxy
