// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "harness/faults/fault.h"
#include "proxies/control/test_peers.h"
#include "proxies/http2/test_frames.h"

namespace watchproof {
namespace {

using proxy::Data;
using proxy::Headers;
using proxy::Response;
using proxy::TestPeer;
using ::testing::HasSubstr;

class StreamFault : public ::testing::Test {
 protected:
  StreamFault() {
    ports_.proxies = &proxies_;
    ports_.path =
        proxies_.Open({.name = "path", .target_port = server_.port(), .follow_streams = true})
            .value();
    ports_.now = [this] { return now_ += 1ms; };
    ports_.closed_streams = [this] { return closed_; };
    ports_.silence = [this] { return silence_; };
    ports_.metric = [this](std::string_view) { return gauge_; };
  }
  void OpenStream() {
    client_ = TestPeer::Connect(proxies_.endpoint(ports_.path));
    target_ = server_.Accept();
    const std::string request = std::string(proxy::kPreface) + proxy::Settings() +
                                Headers(1, proxy::PathBlock(proxy::kWatchPath));
    const std::string answer = proxy::Settings() + Headers(1, proxy::kStatus);
    ASSERT_TRUE(client_.Send(request) && target_.Send(answer));
    ASSERT_EQ(target_.Receive(request.size()), request);
    ASSERT_EQ(client_.Receive(answer.size()), answer);
  }
  std::unique_ptr<Fault> Make(const std::string& name, const FaultParameters& parameters = {}) {
    auto made = MakeFault(name, parameters);
    EXPECT_TRUE(made.has_value()) << made.error().message();
    return std::move(made).value();
  }
  bool EventuallyTakesEffect(Fault& fault) {
    return proxy::Eventually([&] {
      fault.Observe(ports_);
      return fault.took_effect();
    });
  }

  proxy::TestServer server_;
  proxy::Proxies proxies_;
  FaultPorts ports_;
  TestPeer client_{-1};
  TestPeer target_{-1};
  Duration now_ = 1h;
  Duration silence_{};
  std::int64_t closed_ = 0;
  std::optional<double> gauge_;
  const std::string response_ = Data(1, Response({.watch = 1, .events = {5}}));
};

TEST_F(StreamFault, CutsTookEffectIfAStreamEndedAfterwards) {
  const char* const names[] = {"reset-stream", "goaway", "cut-after-event"};
  for (const char* name : names) {
    OpenStream();
    closed_ = 3;  // ended before the fault
    const auto fault = Make(name);
    ASSERT_TRUE(fault->Arm(ports_).ok());
    ASSERT_TRUE(target_.Send(response_));
    client_.Receive(proxy::kFrameHeaderBytes);
    fault->Observe(ports_);
    EXPECT_FALSE(fault->took_effect()) << name;
    closed_ = 4;
    EXPECT_TRUE(EventuallyTakesEffect(*fault)) << name;
    ASSERT_TRUE(fault->Heal(ports_).ok());
    EXPECT_EQ(fault->receipt().measured.at("streams_closed"), 1) << name;
    EXPECT_THAT(fault->receipt().text, HasSubstr("times_acted: 1")) << name;
  }
}

TEST_F(StreamFault, CutsWithoutTheirMomentHaveNoEffect) {
  OpenStream();
  const auto fault = Make("cut-between-fragments");
  ASSERT_TRUE(fault->Arm(ports_).ok());
  ASSERT_TRUE(target_.Send(response_));
  EXPECT_EQ(client_.Receive(response_.size()), response_);
  closed_ = 1;
  fault->Observe(ports_);
  EXPECT_FALSE(fault->took_effect());
}

TEST_F(StreamFault, HoldTookEffectIfTheGaugeRises) {
  OpenStream();
  gauge_ = 2;
  const auto fault = Make("hold-stream");
  ASSERT_TRUE(fault->Arm(ports_).ok());
  ASSERT_TRUE(target_.Send(response_));
  ASSERT_TRUE(proxy::Eventually([&] {
    fault->Observe(ports_);
    return fault->receipt().measured.at("frames_withheld") == 1;
  }));
  EXPECT_FALSE(fault->took_effect());
  gauge_ = 3;
  EXPECT_TRUE(EventuallyTakesEffect(*fault));
  ASSERT_TRUE(fault->Heal(ports_).ok());
  EXPECT_EQ(client_.Receive(response_.size()), response_);
  EXPECT_THAT(fault->receipt().text, HasSubstr("from 2 to 3"));
}

TEST_F(StreamFault, SilenceAloneIsNoEvidenceForAHold) {
  OpenStream();
  silence_ = 10min;
  for (const char* name : {"hold-stream", "hold-created", "withhold-window"}) {
    const auto fault = Make(name);
    ASSERT_TRUE(fault->Arm(ports_).ok());
    fault->Observe(ports_);
    EXPECT_FALSE(fault->took_effect()) << name;
  }
}

TEST_F(StreamFault, HoldCreatedNeedsAGapAndIgnoresTheGauge) {
  OpenStream();
  const auto fault = Make("hold-created");
  ASSERT_TRUE(fault->Arm(ports_).ok());
  ASSERT_TRUE(target_.Send(Data(1, Response({.watch = 1, .created = true}))));
  gauge_ = 3;
  ASSERT_TRUE(proxy::Eventually([&] {
    fault->Observe(ports_);
    return fault->receipt().measured.at("frames_withheld") == 1;
  }));
  fault->Observe(ports_);
  EXPECT_FALSE(fault->took_effect());
  silence_ = kLeastGap;
  EXPECT_TRUE(EventuallyTakesEffect(*fault));
}

TEST_F(StreamFault, DelayWatchTookEffectIfItWaitedLongerThanOthers) {
  OpenStream();
  ports_.spread = [this] { return silence_; };
  silence_ = 40ms;
  const auto fault = Make("delay-watch", {{"watch", "1"}, {"delay", "100ms"}});
  ASSERT_TRUE(fault->Arm(ports_).ok());
  ASSERT_TRUE(target_.Send(response_));
  ASSERT_TRUE(proxy::Eventually([&] {
    fault->Observe(ports_);
    return fault->receipt().measured.at("frames_withheld") == 1;
  }));
  EXPECT_FALSE(fault->took_effect());
  silence_ = 50ms;
  EXPECT_TRUE(EventuallyTakesEffect(*fault));
}

TEST_F(StreamFault, IsNeverArmedWithoutAProxy) {
  ports_.proxies = nullptr;
  const auto fault = Make("goaway");
  ASSERT_TRUE(fault->Arm(ports_).ok());
  EXPECT_THAT(fault->receipt().text, HasSubstr("never armed"));
}

TEST_F(StreamFault, FaultsAcceptTheirDefaultsAndRejectInvalidValues) {
  int known = 0;
  for (const FaultInfo& fault : KnownFaults()) {
    if (!fault.follows_streams) continue;
    ++known;
    EXPECT_TRUE(MakeFault(fault.name, {}).has_value()) << fault.name;
    for (const proxy::ParameterInfo& parameter : fault.parameters) {
      EXPECT_FALSE(MakeFault(fault.name, {{parameter.name, "?"}}).has_value())
          << fault.name << " " << parameter.name;
    }
  }
  EXPECT_EQ(known, 9);
}

}  // namespace
}  // namespace watchproof
