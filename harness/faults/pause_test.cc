// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "harness/faults/fault.h"
#include "harness/faults/test_target.h"

namespace watchproof {
namespace {

using ::testing::HasSubstr;

// Two fake servers, of which the second is paused.
class PauseFault : public ::testing::Test {
 protected:
  PauseFault() {
    ports_.now = [this] { return now_ += 1ms; };
    ports_.servers.resize(2);
    ports_.servers[1].target = &target_;
    target_.ask = [this]() -> Result<ServerStatus> {
      if (silent_) return Fail(StatusCode::kDeadlineExceeded, "silence");
      return ServerStatus();
    };
    target_.pause = [this] {
      state_ = obeys_ ? 'T' : 'S';
      silent_ = obeys_;
      return Status();
    };
    target_.proceed = [this] {
      ++proceeded_;
      state_ = 'S';
      silent_ = false;
      return Status();
    };
    target_.state = [this] { return state_; };
  }
  static std::unique_ptr<Fault> Make() {
    auto made = MakeFault("pause", {{"member", "2"}});
    EXPECT_TRUE(made.has_value());
    return std::move(made).value();
  }

  FakeTarget target_;
  FaultPorts ports_;
  Duration now_{};
  bool obeys_ = true;
  bool silent_ = false;
  char state_ = 'S';
  int proceeded_ = 0;
};

TEST_F(PauseFault, TookEffectIfStoppedAndSilent) {
  const auto fault = Make();
  ASSERT_TRUE(fault->Arm(ports_).ok());
  EXPECT_FALSE(fault->took_effect());
  fault->Observe(ports_);
  EXPECT_TRUE(fault->took_effect());
  EXPECT_TRUE(fault->Heal(ports_).ok());
  EXPECT_TRUE(fault->Heal(ports_).ok());
  EXPECT_EQ(proceeded_, 1);
  EXPECT_TRUE(fault->receipt().fired);
  EXPECT_EQ(fault->receipt().measured.at("member"), 2);
}

TEST_F(PauseFault, NoEffectIfTheProcessAnswers) {
  const auto fault = Make();
  obeys_ = false;
  ASSERT_TRUE(fault->Arm(ports_).ok());
  fault->Observe(ports_);
  EXPECT_TRUE(fault->Heal(ports_).ok());
  EXPECT_FALSE(fault->took_effect());
  EXPECT_THAT(fault->receipt().text, HasSubstr("was answered"));
}

TEST_F(PauseFault, NoEffectIfSilentButNotStopped) {
  const auto fault = Make();
  ASSERT_TRUE(fault->Arm(ports_).ok());
  state_ = 'S';
  fault->Observe(ports_);
  EXPECT_FALSE(fault->took_effect());
}

TEST_F(PauseFault, SilenceBeforeTheFaultIsNoEvidence) {
  const auto fault = Make();
  silent_ = true;
  EXPECT_TRUE(fault->Arm(ports_).ok());
  EXPECT_EQ(state_, 'S');
  fault->Observe(ports_);
  EXPECT_TRUE(fault->Heal(ports_).ok());
  EXPECT_EQ(proceeded_, 0);
  EXPECT_FALSE(fault->took_effect());
  EXPECT_THAT(fault->receipt().text, HasSubstr("silent before"));
}

TEST_F(PauseFault, ForeignProcessIsLeftAlone) {
  target_.pause = [] { return Status(StatusCode::kUnimplemented, "no process"); };
  EXPECT_EQ(Make()->Arm(ports_).code(), StatusCode::kUnimplemented);
}

}  // namespace
}  // namespace watchproof
