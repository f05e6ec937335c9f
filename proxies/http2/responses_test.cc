// SPDX-License-Identifier: Apache-2.0
// Effects on single responses of a stream: whatever they hold, delay or drop, no response is ever
// put into the middle of another one, and none comes behind the end of the stream.
#include <gtest/gtest.h>

#include <string>

#include "proxies/http2/test_frames.h"

namespace watchproof::proxy {
namespace {

const std::string kCreated = Response({.watch = 1, .created = true});
const std::string kLate = Response({.watch = 4, .events = {5}});
const std::string kOther = Response({.watch = 5, .events = {5, 6}});
const std::string kTrailers = Headers(1, kStatus, kFlagEndHeaders | kFlagEndStream);

// Delays watch 4 by 20 ms; responses have been seen already, so that it knows where one begins.
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

TEST_F(Delay, WaitsForTheEndOfTheResponseThatIsOnItsWay) {
  connection_.Target(Data(1, kLate) + Data(1, kOther.substr(0, 30)));
  EXPECT_EQ(connection_.ToClient(), Data(1, kOther.substr(0, 30)));
  connection_.Wait(20ms);
  EXPECT_EQ(connection_.ToClient(), "");
  EXPECT_EQ(connection_.to_client().wake_at(), kNever);  // nothing to wake up for
  connection_.Target(Data(1, kOther.substr(30) + kCreated));
  EXPECT_EQ(connection_.ToClient(),
            Data(1, kOther.substr(30)) + Data(1, kLate) + Data(1, kCreated));
}

TEST_F(Delay, EndsForAllPartsOfAResponseTogether) {
  connection_.Target(Data(1, kLate.substr(0, 30)));
  connection_.Wait(10ms);
  connection_.Target(Data(1, kLate.substr(30) + kOther));
  EXPECT_EQ(connection_.ToClient(), Data(1, kOther));
  connection_.Wait(10ms);
  EXPECT_EQ(connection_.ToClient(), Data(1, kLate.substr(0, 30)) + Data(1, kLate.substr(30)));
}

TEST_F(Delay, LetsTheRestPassOfAResponseWhoseBeginningWasDue) {
  connection_.Target(Data(1, kLate.substr(0, 30)));
  connection_.Wait(20ms);
  EXPECT_EQ(connection_.ToClient(), Data(1, kLate.substr(0, 30)));
  connection_.Target(Data(1, kLate.substr(30) + kOther + kLate));
  EXPECT_EQ(connection_.ToClient(), Data(1, kLate.substr(30)) + Data(1, kOther));
  connection_.Wait(20ms);
  EXPECT_EQ(connection_.ToClient(), Data(1, kLate));
}

TEST_F(Delay, IsOverBeforeAStreamThatEndsWithItsData) {
  connection_.Target(Data(1, kLate));
  connection_.Target(Data(1, kOther, kFlagEndStream));
  EXPECT_EQ(connection_.ToClient(), Data(1, kOther) + Data(1, kLate) + Data(1, "", kFlagEndStream));
}

TEST_F(Delay, HoldsNoEmptyFrameThatEndsTheStream) {
  connection_.Target(Data(1, "", kFlagEndStream));
  EXPECT_EQ(connection_.ToClient(), Data(1, "", kFlagEndStream));
}

TEST_F(Delay, GivesUpWhatItKnowsTooLittleOfBeforeTheTrailers) {
  connection_.Target(Data(1, kLate.substr(0, 3)));
  EXPECT_EQ(connection_.ToClient(), "");
  connection_.Target(kTrailers);
  EXPECT_EQ(connection_.ToClient(), Data(1, kLate.substr(0, 3)) + kTrailers);
}

TEST_F(Delay, LeavesBytesAloneThatAreNoResponses) {
  connection_.Target(Data(1, "<html>"));
  EXPECT_EQ(connection_.ToClient(), Data(1, "<html>"));
  connection_.Target(Data(1, "</html>"));
  EXPECT_EQ(connection_.ToClient(), Data(1, "</html>"));
}

TEST_F(Delay, TakesThePaddingOffAndGivesItBackToItsSender) {
  const std::string padded = "\x03" + kLate + std::string(3, '\0');
  connection_.Target(Data(1, padded, kFlagPadded) + Data(1, kOther));
  EXPECT_EQ(connection_.ToClient(), Data(1, kOther));
  EXPECT_EQ(connection_.ToTarget(),
            MakeWindowUpdate(FrameStream(1), 4) +
                MakeWindowUpdate(FrameStream(0), static_cast<std::int64_t>(padded.size())));
  connection_.Wait(20ms);
  EXPECT_EQ(connection_.ToClient(), Data(1, kLate));
}

// Whom the response is for comes after the cut, its first bytes have gone already.
TEST(DelayWatch, LeavesAResponseAloneWhoseFirstBytesWentBefore) {
  TestConnection connection;
  connection.Target(Data(1, kLate.substr(0, 3)));
  connection.Arm("delay-watch", {{"watch", "4"}});
  connection.Target(Data(1, kLate.substr(3) + kOther));
  EXPECT_EQ(connection.ToClient(),
            Data(1, kLate.substr(0, 3)) + Data(1, kLate.substr(3)) + Data(1, kOther));
}

TEST(HoldCreated, HealedInTheMiddleOfAResponseLetsGoBehindIt) {
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

TEST(HoldCreated, OpensByItselfAndStaysOpen) {
  TestConnection connection;
  connection.Arm("hold-created", {{"duration", "20ms"}});
  connection.Target(Data(1, kCreated));
  EXPECT_EQ(connection.ToClient(), "");
  connection.Wait(20ms);
  EXPECT_EQ(connection.ToClient(), Data(1, kCreated));
  connection.Target(Data(1, kCreated + kOther));
  EXPECT_EQ(connection.ToClient(), Data(1, kCreated) + Data(1, kOther));
}

}  // namespace
}  // namespace watchproof::proxy
