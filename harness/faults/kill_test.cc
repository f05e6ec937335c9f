// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "harness/faults/fault.h"

namespace watchproof {
namespace {

using ::testing::HasSubstr;

// A target on paper: it counts what is done to it.
class KillFault : public ::testing::Test {
 protected:
  KillFault() {
    ports_.now = [this] { return now_ += 1ms; };
    ports_.revision = [this]() -> Result<std::int64_t> { return revision_; };
    ports_.kill_target = [this] {
      ++kills_;
      return kill_result_;
    };
    ports_.restart_target = [this](Deadline) {
      ++restarts_;
      revision_ += lost_or_won_;
      return restart_result_;
    };
  }
  std::unique_ptr<Fault> Make(const FaultParameters& parameters = {}) {
    auto made = MakeFault("kill", parameters);
    EXPECT_TRUE(made.has_value()) << made.error().message();
    return std::move(made).value();
  }

  FaultPorts ports_;
  Duration now_{};
  std::int64_t revision_ = 41;
  std::int64_t lost_or_won_ = 0;
  int kills_ = 0;
  int restarts_ = 0;
  Status kill_result_;
  Status restart_result_;
};

TEST_F(KillFault, IsFeltWhenTheNewProcessKnowsWhatTheOldOneKnew) {
  const auto fault = Make();
  ASSERT_TRUE(fault->Arm(ports_).ok());
  EXPECT_TRUE(fault->felt());
  EXPECT_TRUE(fault->Heal(ports_).ok());
  EXPECT_EQ(kills_, 1);
  EXPECT_EQ(restarts_, 1);
  const FaultReceipt receipt = fault->receipt();
  EXPECT_TRUE(receipt.fired);
  EXPECT_EQ(receipt.measured.at("revision_after"), 41);
  EXPECT_THAT(receipt.text, HasSubstr("with revision 41"));
}

TEST_F(KillFault, IsNotFeltWhenTheNewProcessKnowsLess) {
  lost_or_won_ = -1;
  const auto fault = Make();
  ASSERT_TRUE(fault->Arm(ports_).ok());
  EXPECT_FALSE(fault->felt());
}

TEST_F(KillFault, StaysDownUntilHealedWhenAsked) {
  const auto fault = Make({{"stay-down", "yes"}});
  ASSERT_TRUE(fault->Arm(ports_).ok());
  EXPECT_EQ(restarts_, 0);
  EXPECT_FALSE(fault->felt());
  EXPECT_THAT(fault->receipt().text, HasSubstr("has not answered since"));
  ASSERT_TRUE(fault->Heal(ports_).ok());
  ASSERT_TRUE(fault->Heal(ports_).ok());
  EXPECT_EQ(restarts_, 1);
  EXPECT_TRUE(fault->felt());
}

TEST_F(KillFault, ARestartThatFailsIsAnErrorAndIsNotTriedAgain) {
  restart_result_ = Fail(StatusCode::kUnavailable, "does not come up");
  const auto fault = Make();
  EXPECT_THAT(fault->Arm(ports_).message(), HasSubstr("does not come up"));
  EXPECT_TRUE(fault->Heal(ports_).ok());
  EXPECT_EQ(restarts_, 1);
  EXPECT_FALSE(fault->felt());
}

TEST_F(KillFault, ATargetThatCannotBeKilledIsLeftAlone) {
  kill_result_ = Fail(StatusCode::kUnimplemented, "keeps nothing");
  const auto refused = Make();
  EXPECT_EQ(refused->Arm(ports_).code(), StatusCode::kUnimplemented);
  EXPECT_TRUE(refused->Heal(ports_).ok());
  EXPECT_EQ(restarts_, 0);
  ports_.kill_target = nullptr;
  EXPECT_EQ(Make()->Arm(ports_).code(), StatusCode::kUnimplemented);
}

TEST_F(KillFault, HealingWhatWasNeverArmedDoesNothing) {
  EXPECT_TRUE(Make()->Heal(ports_).ok());
  EXPECT_EQ(restarts_, 0);
  EXPECT_FALSE(MakeFault("kill", {{"stay-down", "maybe"}}).has_value());
}

}  // namespace
}  // namespace watchproof
