// SPDX-License-Identifier: Apache-2.0
// Faults that are one effect on the bytes of the proxied path: each needs independent evidence.
#include <gmock/gmock.h>

#include <set>

#include "harness/faults/test_path.h"

namespace watchproof {
namespace {

using proxy::TestPeer;
using ::testing::HasSubstr;

class ByteFault : public TestPath {};

TEST_F(ByteFault, EndsTookEffectIfAStreamEndedAfterwards) {
  for (const char* name : {"close", "half-close"}) {
    OpenPair();
    closed_ = 3;  // ended before the fault
    const auto fault = Make(name);
    ASSERT_TRUE(fault->Arm(ports_).ok());
    EXPECT_EQ(client_.Next(), TestPeer::Outcome::kEnd) << name;
    EXPECT_FALSE(TookEffect(*fault)) << name;
    closed_ = 4;
    EXPECT_TRUE(EventuallyTakesEffect(*fault)) << name;
    EXPECT_TRUE(fault->Heal(ports_).ok());
    EXPECT_EQ(fault->receipt().measured.at("streams_closed"), 1) << name;
  }
}

TEST_F(ByteFault, EndAfterTimeOrBytes) {
  OpenPair();
  const auto later = Make("close", {{"after", "3600s"}, {"after-bytes", "3B"}});
  ASSERT_TRUE(later->Arm(ports_).ok());
  ASSERT_TRUE(target_.Send("abcdef"));
  EXPECT_EQ(client_.Receive(100), "abc");
}

TEST_F(ByteFault, HalfOpenWithoutClientTookEffectIfTheTargetSends) {
  OpenPair();
  const auto fault = Make("half-open");
  ASSERT_TRUE(fault->Arm(ports_).ok());
  EXPECT_EQ(client_.Next(), TestPeer::Outcome::kReset);
  closed_ = 1;
  EXPECT_FALSE(TookEffect(*fault));
  ASSERT_TRUE(target_.Send("into the void"));
  EXPECT_TRUE(EventuallyTakesEffect(*fault));
  // The target would wait for ever.
  ASSERT_TRUE(fault->Heal(ports_).ok());
  EXPECT_EQ(target_.Next(), TestPeer::Outcome::kReset);
}

TEST_F(ByteFault, HalfOpenWithoutTargetTookEffectIfWatchersAreGoneAndNothingArrives) {
  OpenPair();
  gauge_ = 5;
  const auto fault = Make("half-open", {{"gone", "target"}});
  ASSERT_TRUE(fault->Arm(ports_).ok());
  EXPECT_EQ(target_.Next(), TestPeer::Outcome::kReset);
  now_ += 1s;
  silence_ = kLeastGap;
  EXPECT_FALSE(TookEffect(*fault));
  gauge_ = 1;
  EXPECT_TRUE(EventuallyTakesEffect(*fault));
  EXPECT_EQ(fault->receipt().measured.at("watchers_fewer"), 4);
  closed_ = 1;  // the client noticed: the connection is not half open
  EXPECT_FALSE(TookEffect(*fault));
  ASSERT_TRUE(fault->Heal(ports_).ok());
  EXPECT_EQ(client_.Next(), TestPeer::Outcome::kReset);
}

TEST_F(ByteFault, LatencyTookEffectIfACallTookAsLong) {
  OpenPair();
  const auto fault = Make("latency", {{"delay", "1ms"}});
  ASSERT_TRUE(fault->Arm(ports_).ok());
  ASSERT_TRUE(target_.Send("late"));
  EXPECT_EQ(client_.Receive(4), "late");
  ASSERT_TRUE(EventuallyMeasured(*fault, "bytes_delayed", 4));
  call_takes_ = -1ms;  // as quick as a call can be
  EXPECT_FALSE(TookEffect(*fault));
  call_takes_ = 20ms;
  call_ = Status(StatusCode::kUnavailable, "another fault");
  EXPECT_FALSE(TookEffect(*fault));
  call_ = {};
  EXPECT_TRUE(TookEffect(*fault));
}

TEST_F(ByteFault, OneSlowCallBeforeIsNotHowSlowThePathIs) {
  OpenPair();
  int calls = 0;
  ports_.call_by_proxied_path = [&](Deadline) {
    now_ += ++calls == 1 ? Duration(130ms) : call_takes_;
    return Status();
  };
  call_takes_ = 0ms;
  const auto fault = Make("latency", {{"delay", "1ms"}});
  ASSERT_TRUE(fault->Arm(ports_).ok());
  ASSERT_TRUE(target_.Send("late"));
  EXPECT_EQ(client_.Receive(4), "late");
  ASSERT_TRUE(EventuallyMeasured(*fault, "bytes_delayed", 4));
  EXPECT_FALSE(TookEffect(*fault));
  call_takes_ = 20ms;
  EXPECT_TRUE(TookEffect(*fault));
}

TEST_F(ByteFault, LateAcceptNeedsFasterCallsBefore) {
  call_takes_ = 1s;
  const auto fault = Make("late-accept", {{"delay", "1ms"}});
  ASSERT_TRUE(fault->Arm(ports_).ok());
  OpenPair();
  ASSERT_TRUE(EventuallyMeasured(*fault, "connections_held", 1));
  EXPECT_FALSE(TookEffect(*fault));
  call_takes_ = 2s;
  EXPECT_TRUE(TookEffect(*fault));
}

TEST_F(ByteFault, LateAcceptWithoutDelayNeverTakesEffect) {
  const auto fault = Make("late-accept", {{"delay", "0ms"}});
  ASSERT_TRUE(fault->Arm(ports_).ok());
  OpenPair();
  call_takes_ = 1s;
  EXPECT_FALSE(TookEffect(*fault));
}

TEST_F(ByteFault, UndetectableSlicesAreRejected) {
  EXPECT_TRUE(MakeFault("slice", {}).has_value());
  for (const FaultParameters& blunt :
       {FaultParameters{{"delay", "0ms"}}, FaultParameters{{"size", "40B"}},
        FaultParameters{{"variation", "40B"}}}) {
    const auto made = MakeFault("slice", blunt);
    ASSERT_FALSE(made.has_value());
    EXPECT_THAT(made.error().message(), HasSubstr("cannot be detected from outside"));
  }
}

TEST_F(ByteFault, DeadPathTookEffectIfCallsGetNoAnswer) {
  OpenPair();
  const auto hole = Make("black-hole", {{"at-least", "4B"}});
  const auto wall = Make("refuse");
  for (Fault* fault : {hole.get(), wall.get()}) ASSERT_TRUE(fault->Arm(ports_).ok());
  ASSERT_TRUE(target_.Send("lost"));
  ASSERT_TRUE(EventuallyMeasured(*hole, "bytes_swallowed", 4));
  EXPECT_FALSE(TookEffect(*hole) || TookEffect(*wall));
  call_ = Status(StatusCode::kUnavailable, "no server");
  EXPECT_TRUE(TookEffect(*hole) && TookEffect(*wall));
  ASSERT_TRUE(hole->Heal(ports_).ok());
  EXPECT_EQ(client_.Next(), TestPeer::Outcome::kEnd);
}

TEST_F(ByteFault, DeadPathNeedsAnAnsweredCallBefore) {
  call_ = Status(StatusCode::kUnavailable, "no server");
  const auto fault = Make("refuse");
  ASSERT_TRUE(fault->Arm(ports_).ok());
  EXPECT_FALSE(TookEffect(*fault));
  EXPECT_THAT(fault->receipt().text, HasSubstr("not answered before"));
}

TEST_F(ByteFault, BandwidthTookEffectIfTheRateIsKept) {
  OpenPair();
  arrived_ = {1 << 20};
  const auto fault = Make("bandwidth", {{"rate", "64KiB"}, {"at-least", "32KiB"}});
  ASSERT_TRUE(fault->Arm(ports_).ok());
  const std::string much(64 << 10, 'x');
  ASSERT_TRUE(target_.Send(much));
  EXPECT_EQ(client_.Receive(much.size()), much);
  ASSERT_TRUE(EventuallyMeasured(*fault, "bytes_throttled", 32 << 10));
  EXPECT_FALSE(TookEffect(*fault));  // nothing arrived at any stream
  arrived_ = {1 << 20, 1 << 20};     // on another stream, in no time
  EXPECT_FALSE(TookEffect(*fault));
  now_ += 1min;
  EXPECT_TRUE(TookEffect(*fault));
}

TEST_F(ByteFault, LateEndTookEffectIfNoStreamEndedSooner) {
  OpenPair();
  const auto fault = Make("late-end", {{"delay", "2ms"}});
  ASSERT_TRUE(fault->Arm(ports_).ok());
  target_.EndSending();
  EXPECT_EQ(client_.Next(), TestPeer::Outcome::kEnd);
  ASSERT_TRUE(EventuallyMeasured(*fault, "held_ms", 2));
  EXPECT_FALSE(TookEffect(*fault));
  closed_ = 1;
  last_closed_ = 1h + 1ms + 1ms;  // armed a millisecond after the hour
  EXPECT_FALSE(TookEffect(*fault));
  closed_ = 2;
  last_closed_ = 1h + 1ms + 2ms;
  EXPECT_TRUE(TookEffect(*fault));
}

TEST_F(ByteFault, CorruptionTookEffectIfThereIsAFinding) {
  OpenPair();
  const auto fault = Make("corrupt", {{"every", "1B"}});
  ASSERT_TRUE(fault->Arm(ports_).ok());
  ASSERT_TRUE(target_.Send("truth"));
  EXPECT_NE(client_.Receive(5), "truth");
  EXPECT_FALSE(TookEffect(*fault));
  fault->Noticed(1);
  EXPECT_TRUE(EventuallyTakesEffect(*fault));
}

class RealTarget : public TestPath {
 protected:
  RealTarget() : TestPath(false) {}
};

TEST_F(RealTarget, IsNotTamperedWith) {
  EXPECT_EQ(Make("corrupt")->Arm(ports_).code(), StatusCode::kFailedPrecondition);
}

TEST_F(ByteFault, IsNeverArmedWithoutAProxy) {
  static const std::set<std::string> kTouchNoPath = {
      "damaged-file", "defragment", "kill",    "move-leader", "no-space",
      "pause",        "replace",    "restart", "restore",     "slow-reader"};
  ports_.proxies = nullptr;
  ports_.servers.resize(5);
  for (const FaultInfo& info : KnownFaults()) {
    if (info.on_disk || kTouchNoPath.contains(info.name)) continue;
    const auto fault = Make(info.name);
    ASSERT_TRUE(fault->Arm(ports_).ok()) << info.name;
    ASSERT_TRUE(fault->Heal(ports_).ok()) << info.name;
    EXPECT_FALSE(fault->took_effect()) << info.name;
    EXPECT_THAT(fault->receipt().text, HasSubstr("never armed")) << info.name;
  }
}

}  // namespace
}  // namespace watchproof
