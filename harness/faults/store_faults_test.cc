// SPDX-License-Identifier: Apache-2.0
// Faults requested from the store or done by a client: no proxy takes part.
#include <gmock/gmock.h>

#include <gtest/gtest.h>
#include <future>
#include <optional>

#include "harness/faults/fault.h"
#include "harness/faults/test_target.h"

namespace watchproof {
namespace {

using ::testing::HasSubstr;

// A fake target that counts the calls to it.
class StoreFault : public ::testing::Test {
 protected:
  StoreFault() {
    ports_.now = [this] { return now_ += 1ms; };
    ports_.silence = [this] { return silence_; };
    ports_.delay = [this] { return delay_; };
    ports_.metric = [this](std::string_view) { return gauge_; };
    ports_.pace_reader = [this](const ReaderPace& pace) {
      paces_.push_back(pace);
      return Status();
    };
    ports_.alarm = [this](bool raised) {
      raised_ = raised;
      return Status();
    };
    ports_.put = [this] {
      return raised_ && refuses_ ? Status(StatusCode::kResourceExhausted, "no space") : Status();
    };
    ports_.servers.push_back({.target = &target_});
    ports_.defragment = [this](std::int64_t /*member*/) {
      return [this] {
        gauge_ = gauge_.value_or(0) - frees_;
        return held_ ? held_->get_future().get() : Status();
      };
    };
  }
  static std::unique_ptr<Fault> Make(const std::string& name,
                                     const FaultParameters& parameters = {}) {
    auto made = MakeFault(name, parameters);
    EXPECT_TRUE(made.has_value()) << made.error().message();
    return std::move(made).value();
  }

  FakeTarget target_;
  FaultPorts ports_;
  Duration now_ = 1h;
  Duration silence_{};
  Duration delay_{};
  std::optional<double> gauge_;
  std::vector<ReaderPace> paces_;
  bool raised_ = false;
  bool refuses_ = true;
  double frees_ = 0;
  std::optional<std::promise<Status>> held_;  // the answer to a defragmentation
};

TEST_F(StoreFault, SlowReaderTookEffectIfTheGaugeRises) {
  gauge_ = 2;
  silence_ = 10min;
  const auto fault = Make("slow-reader", {{"messages", "3"}, {"every", "20ms"}});
  ASSERT_TRUE(fault->Arm(ports_).ok());
  ASSERT_EQ(paces_.size(), 1U);
  EXPECT_EQ(paces_[0].messages, 3);
  EXPECT_EQ(paces_[0].every, 20ms);
  now_ += 1s;
  fault->Observe(ports_);
  EXPECT_FALSE(fault->took_effect());
  gauge_ = 7;
  fault->Observe(ports_);
  EXPECT_FALSE(fault->took_effect()) << "too early for another page of metrics";
  now_ += SlowWatchers::kPageEvery;
  fault->Observe(ports_);
  EXPECT_TRUE(fault->took_effect());
  EXPECT_THAT(fault->receipt().text, HasSubstr("from 2 to 7"));
  ASSERT_TRUE(fault->Heal(ports_).ok());
  ASSERT_TRUE(fault->Heal(ports_).ok());
  ASSERT_EQ(paces_.size(), 2U);
  EXPECT_FALSE(paces_[1].messages.has_value());
}

TEST_F(StoreFault, WithoutAGaugeSilenceIsEvidence) {
  const auto fault = Make("slow-reader");
  ASSERT_TRUE(fault->Arm(ports_).ok());
  now_ += 1s;
  silence_ = 99ms;
  fault->Observe(ports_);
  EXPECT_FALSE(fault->took_effect());
  silence_ = kLeastGap;
  fault->Observe(ports_);
  EXPECT_TRUE(fault->took_effect());
}

// A reader that is slow but steady is never silent for long.
TEST_F(StoreFault, WithoutAGaugeLateDeliveryIsEvidenceOfATrickle) {
  delay_ = 150ms;  // before
  const auto fault = Make("slow-reader", {{"messages", "1"}, {"every", "10ms"}});
  ASSERT_TRUE(fault->Arm(ports_).ok());
  silence_ = 10ms;
  fault->Observe(ports_);
  EXPECT_FALSE(fault->took_effect());
  delay_ = 151ms;
  fault->Observe(ports_);
  EXPECT_TRUE(fault->took_effect());
  EXPECT_THAT(fault->receipt().text, HasSubstr("151 ms after it was written (150 before)"));
}

TEST_F(StoreFault, NoSpaceTookEffectIfAPutIsRejected) {
  const auto fault = Make("no-space");
  ASSERT_TRUE(fault->Arm(ports_).ok());
  EXPECT_TRUE(fault->took_effect());
  ASSERT_TRUE(fault->Heal(ports_).ok());
  EXPECT_FALSE(raised_);
  EXPECT_EQ(fault->receipt().measured.at("taken_after"), 1);
}

TEST_F(StoreFault, NoSpaceHasNoEffectIfPutsAreAccepted) {
  refuses_ = false;
  const auto fault = Make("no-space");
  ASSERT_TRUE(fault->Arm(ports_).ok());
  EXPECT_FALSE(fault->took_effect());
}

TEST_F(StoreFault, DefragmentTookEffectIfTheBackendShrank) {
  gauge_ = 1'000'000;
  frees_ = 65'535;
  const auto little = Make("defragment");
  ASSERT_TRUE(little->Arm(ports_).ok());
  EXPECT_FALSE(little->took_effect());
  frees_ = -4096;
  const auto any = Make("defragment", {{"at-least", "0B"}});
  ASSERT_TRUE(any->Arm(ports_).ok());
  EXPECT_TRUE(any->took_effect());
  frees_ = 65'536;
  const auto enough = Make("defragment");
  ASSERT_TRUE(enough->Arm(ports_).ok());
  EXPECT_TRUE(enough->took_effect());
}

TEST_F(StoreFault, DefragmentInTheBackgroundTookEffectOnceItIsAnswered) {
  const FaultParameters parameters = {{"at-least", "0B"}, {"background", "yes"}};
  held_.emplace();
  const auto fault = Make("defragment", parameters);
  ASSERT_TRUE(fault->Arm(ports_).ok());
  fault->Observe(ports_);
  EXPECT_FALSE(fault->took_effect());
  held_->set_value({});
  ASSERT_TRUE(fault->Heal(ports_).ok());
  EXPECT_TRUE(fault->took_effect());

  held_.emplace();
  held_->set_value(Status(StatusCode::kUnavailable, "it ended"));
  const auto cut_off = Make("defragment", parameters);
  ASSERT_TRUE(cut_off->Arm(ports_).ok());
  ASSERT_TRUE(cut_off->Heal(ports_).ok());
  EXPECT_FALSE(cut_off->took_effect());

  // Where nothing need be freed, and it is waited for, a crash meanwhile is what is wanted.
  held_.emplace();
  held_->set_value(Status(StatusCode::kUnavailable, "it ended"));
  const auto waited_for = Make("defragment", {{"at-least", "0B"}});
  ASSERT_TRUE(waited_for->Arm(ports_).ok());
  EXPECT_TRUE(waited_for->took_effect());
}

TEST_F(StoreFault, DefragmentNamesTheMemberThatIsMissing) {
  EXPECT_FALSE(Make("defragment", {{"member", "2"}})->Arm(ports_).ok());
}

TEST_F(StoreFault, SharedTargetsAreSpared) {
  ports_.alarm = nullptr;
  ports_.defragment = nullptr;
  for (const char* name : {"no-space", "defragment"}) {
    const auto fault = Make(name);
    EXPECT_EQ(fault->Arm(ports_).code(), StatusCode::kUnimplemented) << name;
    EXPECT_TRUE(fault->Heal(ports_).ok()) << name;
    EXPECT_FALSE(fault->receipt().fired) << name;
  }
}

TEST_F(StoreFault, NumbersAreChecked) {
  for (const char* wrong : {"", "-1", "x", "1.5"}) {
    EXPECT_FALSE(MakeFault("slow-reader", {{"messages", wrong}}).has_value()) << wrong;
  }
}

}  // namespace
}  // namespace watchproof
