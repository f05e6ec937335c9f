// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "harness/faults/fault.h"
#include "harness/faults/test_target.h"

namespace watchproof {
namespace {

using ::testing::HasSubstr;

// A fake target that counts the calls to it.
class KillFault : public ::testing::Test {
 protected:
  KillFault() {
    ports_.now = [this] { return now_ += 1ms; };
    target_.ask = [this] { return ServerStatus{.version = version_, .revision = revision_}; };
    target_.kill = [this] {
      ++kills_;
      return kill_result_;
    };
    target_.terminate = [this] {
      ++terminations_;
      return kill_result_;
    };
    target_.restart = [this](const std::string& release) {
      ++restarts_;
      revision_ += lost_or_won_;
      if (obeys_ && !release.empty()) version_ = release;
      compactions_ = compactions_ ? 0 : compactions_;
      return restart_result_;
    };
    target_.read_metrics = [this] {
      Metrics metrics{{"etcd_debugging_mvcc_watcher_total", 0}};
      if (compactions_) {
        metrics["etcd_debugging_mvcc_db_compaction_total_duration_milliseconds_count"] =
            *compactions_;
      }
      return metrics;
    };
    ports_.servers.push_back({.target = &target_});
  }
  std::unique_ptr<Fault> Make(const FaultParameters& parameters = {},
                              const std::string& name = "kill") {
    auto made = MakeFault(name, parameters);
    EXPECT_TRUE(made.has_value()) << made.error().message();
    return std::move(made).value();
  }

  FakeTarget target_;
  FaultPorts ports_;
  Duration now_{};
  std::int64_t revision_ = 41;
  std::int64_t lost_or_won_ = 0;
  std::string version_ = "3.5.16";
  bool obeys_ = true;  // starts the release that is asked for
  int kills_ = 0;
  int terminations_ = 0;
  int restarts_ = 0;
  Status kill_result_;
  Status restart_result_;
  std::optional<double> compactions_;
};

TEST_F(KillFault, TookEffectIfTheNewProcessKeptTheRevision) {
  const auto fault = Make();
  ASSERT_TRUE(fault->Arm(ports_).ok());
  EXPECT_TRUE(fault->took_effect());
  EXPECT_TRUE(fault->Heal(ports_).ok());
  EXPECT_EQ(kills_, 1);
  EXPECT_EQ(restarts_, 1);
  const FaultReceipt receipt = fault->receipt();
  EXPECT_TRUE(receipt.fired);
  EXPECT_EQ(receipt.measured.at("revision_after"), 41);
  EXPECT_THAT(receipt.text, HasSubstr("with revision 41, it was 41 before"));
}

TEST_F(KillFault, NoEffectIfTheNewProcessLostRevisions) {
  lost_or_won_ = -1;
  const auto fault = Make();
  ASSERT_TRUE(fault->Arm(ports_).ok());
  EXPECT_FALSE(fault->took_effect());
}

TEST_F(KillFault, OneThatDoesNotAnswerIsKilledAllTheSame) {
  target_.ask = [this, answers = target_.ask]() -> Result<ServerStatus> {
    if (restarts_ == 0) return Fail(StatusCode::kDeadlineExceeded, "its disk is held");
    return answers();
  };
  const auto fault = Make();
  ASSERT_TRUE(fault->Arm(ports_).ok());
  EXPECT_TRUE(fault->took_effect());
  EXPECT_THAT(fault->receipt().text, HasSubstr("it did not answer before"));
}

TEST_F(KillFault, StaysDownUntilHealedWhenAsked) {
  const auto fault = Make({{"stay-down", "yes"}});
  ASSERT_TRUE(fault->Arm(ports_).ok());
  EXPECT_EQ(restarts_, 0);
  EXPECT_FALSE(fault->took_effect());
  EXPECT_THAT(fault->receipt().text, HasSubstr("has not answered since"));
  ASSERT_TRUE(fault->Heal(ports_).ok());
  ASSERT_TRUE(fault->Heal(ports_).ok());
  EXPECT_EQ(restarts_, 1);
  EXPECT_TRUE(fault->took_effect());
}

TEST_F(KillFault, FailedRestartIsAnErrorAndNotRepeated) {
  restart_result_ = Fail(StatusCode::kUnavailable, "does not come up");
  const auto fault = Make();
  EXPECT_THAT(fault->Arm(ports_).message(), HasSubstr("does not come up"));
  EXPECT_TRUE(fault->Heal(ports_).ok());
  EXPECT_EQ(restarts_, 1);
  EXPECT_FALSE(fault->took_effect());
}

TEST_F(KillFault, UnkillableTargetIsLeftAlone) {
  kill_result_ = Fail(StatusCode::kUnimplemented, "keeps nothing");
  const auto refused = Make();
  EXPECT_EQ(refused->Arm(ports_).code(), StatusCode::kUnimplemented);
  EXPECT_TRUE(refused->Heal(ports_).ok());
  EXPECT_EQ(restarts_, 0);
}

TEST_F(KillFault, GracefulRestartAsAnotherRelease) {
  const auto fault = Make({{"release", "3.5.30"}}, "restart");
  ASSERT_TRUE(fault->Arm(ports_).ok());
  EXPECT_EQ(terminations_, 1);
  EXPECT_EQ(kills_, 0);
  EXPECT_TRUE(fault->took_effect());
  EXPECT_THAT(fault->receipt().text, HasSubstr("it was 3.5.16 and is 3.5.30"));
}

TEST_F(KillFault, NoEffectIfTheReleaseStaysTheOldOne) {
  obeys_ = false;
  const auto fault = Make({{"release", "3.5.30"}}, "restart");
  ASSERT_TRUE(fault->Arm(ports_).ok());
  EXPECT_FALSE(fault->took_effect());
}

TEST_F(KillFault, DuringCompactionTookEffectIfTheNewProcessResumesIt) {
  compactions_ = 7;
  const auto fault = Make({{"during", "compaction"}});
  ASSERT_TRUE(fault->Arm(ports_).ok());
  fault->Observe(ports_);
  EXPECT_FALSE(fault->took_effect());
  EXPECT_THAT(fault->receipt().text, HasSubstr("no interrupted compaction"));
  compactions_ = 1;
  fault->Observe(ports_);
  EXPECT_TRUE(fault->took_effect());
  EXPECT_EQ(fault->receipt().measured.at("compactions_after"), 1);
  EXPECT_THAT(MakeFault("kill", {{"during", "lunch"}}).error().message(), HasSubstr("compaction"));
}

TEST_F(KillFault, DuringCompactionWithoutACountTookEffectAtOnce) {
  const auto fault = Make({{"during", "compaction"}});
  ASSERT_TRUE(fault->Arm(ports_).ok());
  EXPECT_FALSE(fault->took_effect()) << "not asked yet";
  fault->Observe(ports_);
  EXPECT_TRUE(fault->took_effect());
}

TEST_F(KillFault, ErrorNamesTheMissingMember) {
  EXPECT_THAT(Make({{"member", "2"}})->Arm(ports_).message(), HasSubstr("there is no member 2"));
  EXPECT_EQ(kills_, 0);
  EXPECT_FALSE(MakeFault("kill", {{"member", "0"}}).has_value());
}

TEST_F(KillFault, HealWithoutArmDoesNothing) {
  EXPECT_TRUE(Make()->Heal(ports_).ok());
  EXPECT_EQ(restarts_, 0);
  EXPECT_FALSE(MakeFault("kill", {{"stay-down", "maybe"}}).has_value());
}

}  // namespace
}  // namespace watchproof
