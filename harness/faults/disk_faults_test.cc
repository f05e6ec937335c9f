// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>

#include "harness/faults/fault.h"
#include "harness/faults/test_target.h"

namespace watchproof {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

// A program of a shell behind a disk, as the process of a fake target.
class DiskFaultTest : public ::testing::Test {
 protected:
  void SetUp() override {
    if (!proxy::CanTrapCalls().ok()) GTEST_SKIP() << proxy::CanTrapCalls().message();
    folder_ = std::filesystem::path(::testing::TempDir()) /
              fmt::format("disk_faults_{}_{}", getpid(),
                          ::testing::UnitTest::GetInstance()->current_test_info()->name());
    std::filesystem::create_directories(folder_ / "data");
    auto opened = proxy::Disk::Open(
        {.folder = folder_ / "data", .classes = {{"log", "wal*"}}, .real_syncs = false});
    ASSERT_TRUE(opened.has_value());
    disk_ = std::move(opened).value();
    target_.own_disk = disk_.get();
    target_.keeps = true;
    target_.kill = [this] {
      ++kills_;
      child_.reset();
      return Status();
    };
    target_.restart = [this](const std::string&) {
      ++restarts_;
      return restart_result_;
    };
    target_.ask = [] { return ServerStatus{.revision = 7}; };
    ports_.now = [this] { return now_ += 1ms; };
    ports_.servers.push_back({.target = &target_});
  }
  void TearDown() override {
    child_.reset();
    disk_.reset();
    std::filesystem::remove_all(folder_);
  }

  std::unique_ptr<Fault> Make(const std::string& name, const FaultParameters& parameters = {}) {
    auto made = MakeFault(name, parameters);
    EXPECT_TRUE(made.has_value()) << made.error().message();
    return std::move(made).value();
  }
  // In the data folder; the program stays until it is killed, unless it ends by itself.
  ExitState Run(const std::string& script) {
    auto child = ChildProcess::Launch(
        {.executable = "/bin/sh",
         .arguments = {"-c", "cd " + (folder_ / "data").string() + "; " + script},
         .disk = disk_.get()});
    EXPECT_TRUE(child.has_value()) << child.error().message();
    child_ = std::move(child).value();
    return child_->Wait(Within(20s)).value_or(ExitState{.code = -1});
  }
  bool Exists(const std::string& name) { return std::filesystem::exists(folder_ / "data" / name); }

  std::filesystem::path folder_;
  std::unique_ptr<proxy::Disk> disk_;
  std::unique_ptr<ChildProcess> child_;
  FakeTarget target_;
  FaultPorts ports_;
  Duration now_{};
  int kills_ = 0;
  int restarts_ = 0;
  Status restart_result_;
};

TEST_F(DiskFaultTest, SlowDiskTookEffectOnceACallWasHeld) {
  const auto slow = Make("slow-disk", {{"hold", "5ms"}, {"files", "log"}});
  ASSERT_TRUE(slow->Arm(ports_).ok());
  Run("touch other; sync other");
  slow->Observe(ports_);
  EXPECT_FALSE(slow->took_effect());
  Run("touch wal1; sync wal1");
  slow->Observe(ports_);
  EXPECT_TRUE(slow->took_effect());
  ASSERT_TRUE(slow->Heal(ports_).ok());
  Run("sync wal1");
  const FaultReceipt receipt = slow->receipt();
  EXPECT_EQ(receipt.measured.at("affected"), 1);
  EXPECT_THAT(receipt.text, AllOf(HasSubstr("1 calls were held"), HasSubstr("sync of wal1")));
}

TEST_F(DiskFaultTest, FailingAndFullDisksFailTheirCallsUntilHealed) {
  for (const auto& [name, script] : std::map<std::string, std::string>{
           {"failing-disk", "touch a; sync a 2>/dev/null"}, {"full-disk", "touch b 2>/dev/null"}}) {
    const auto fault = Make(name);
    ASSERT_TRUE(fault->Arm(ports_).ok());
    EXPECT_FALSE(Run(script).clean()) << name;
    ASSERT_TRUE(fault->Heal(ports_).ok());
    EXPECT_TRUE(fault->took_effect()) << name;
    EXPECT_TRUE(Run(script).clean()) << name;
  }
}

TEST_F(DiskFaultTest, AProcessThatEndsSinceItsDiskFailedIsStartedAgain) {
  const auto fault = Make("failing-disk");
  ASSERT_TRUE(fault->Arm(ports_).ok());
  ASSERT_TRUE(Make("slow-disk", {{"files", "b"}})->Arm(ports_).ok()) << "which ends nothing";
  target_.ended = Run("touch a; sync a 2>/dev/null");
  EXPECT_EQ(restarts_, 0);
  ASSERT_TRUE(fault->Heal(ports_).ok());
  EXPECT_EQ(restarts_, 1);
  EXPECT_FALSE(target_.may_give_up) << "from here on it must run";
  EXPECT_THAT(fault->receipt().text, HasSubstr("and was started again"));
}

TEST_F(DiskFaultTest, TheOnlyDiskDoesNotForget) {
  const auto fault = Make("forgetful-disk");
  EXPECT_EQ(fault->Arm(ports_).code(), StatusCode::kUnimplemented);
  ports_.servers.push_back({.target = &target_});
  const auto of_two = Make("forgetful-disk", {{"member", "2"}});
  EXPECT_TRUE(of_two->Arm(ports_).ok());
}

TEST_F(DiskFaultTest, PowerFailureTakesWhatWasNotSynced) {
  Run("touch kept lost; sync kept");
  const auto fault = Make("power-failure");
  ASSERT_TRUE(fault->Arm(ports_).ok());
  EXPECT_TRUE(fault->took_effect());
  EXPECT_EQ(kills_, 1);
  EXPECT_EQ(restarts_, 1);
  EXPECT_TRUE(Exists("kept"));
  EXPECT_FALSE(Exists("lost"));
  EXPECT_THAT(fault->receipt().text, HasSubstr("lost: was never made"));
}

TEST_F(DiskFaultTest, PowerFailureWithNothingToTakeProvesNothing) {
  Run("touch kept; sync kept");
  const auto fault = Make("power-failure");
  ASSERT_TRUE(fault->Arm(ports_).ok());
  EXPECT_FALSE(fault->took_effect());
  EXPECT_THAT(fault->receipt().text, HasSubstr("nothing was lost, since everything was synced"));
}

TEST_F(DiskFaultTest, CrashPointKillsAtItsCallAndIsStartedAgainWhenHealed) {
  const auto fault = Make("crash-point", {{"calls", "make"}, {"from", "2"}});
  ASSERT_TRUE(fault->Arm(ports_).ok());
  EXPECT_EQ(Run("touch a; touch b; touch c").signal, SIGKILL);
  fault->Observe(ports_);
  EXPECT_TRUE(fault->took_effect());
  EXPECT_EQ(restarts_, 0);
  ASSERT_TRUE(fault->Heal(ports_).ok());
  EXPECT_TRUE(fault->took_effect());
  EXPECT_EQ(restarts_, 1);
  EXPECT_TRUE(Exists("a"));
  EXPECT_FALSE(Exists("b"));
  EXPECT_THAT(fault->receipt().text, HasSubstr("killed at the making of b"));
}

TEST_F(DiskFaultTest, CrashPointWithPowerTakesWhatWasNotSynced) {
  const auto fault = Make("crash-point", {{"calls", "make"}, {"from", "2"}, {"power", "yes"}});
  ASSERT_TRUE(fault->Arm(ports_).ok());
  Run("touch a; touch b");
  ASSERT_TRUE(fault->Heal(ports_).ok());
  EXPECT_TRUE(fault->took_effect());
  EXPECT_FALSE(Exists("a"));
}

TEST_F(DiskFaultTest, CrashPointThatIsNotReachedKillsNothing) {
  const auto fault = Make("crash-point", {{"from", "100"}});
  ASSERT_TRUE(fault->Arm(ports_).ok());
  EXPECT_TRUE(Run("touch a").clean());
  ASSERT_TRUE(fault->Heal(ports_).ok());
  EXPECT_FALSE(fault->took_effect());
  EXPECT_EQ(kills_, 0);
  EXPECT_THAT(fault->receipt().text, HasSubstr("was not killed"));
}

TEST_F(DiskFaultTest, FailedStartIsAnErrorAndNotRepeated) {
  Run("touch lost");
  restart_result_ = Fail(StatusCode::kUnavailable, "does not come up");
  const auto fault = Make("power-failure");
  EXPECT_THAT(fault->Arm(ports_).message(), HasSubstr("does not come up"));
  EXPECT_TRUE(fault->Heal(ports_).ok());
  EXPECT_EQ(restarts_, 1);
  EXPECT_FALSE(fault->took_effect());
}

// A member of two, as the only disk does not forget.
class ForgetfulMember : public DiskFaultTest {
 protected:
  void SetUp() override {
    DiskFaultTest::SetUp();
    if (disk_ == nullptr) return;
    ports_.servers.push_back({.target = &target_});
    Run("echo 1 | tee -a wal; sync wal");
    forgets_ = Make("forgetful-disk", {{"files", "log"}});
    ASSERT_TRUE(forgets_->Arm(ports_).ok());
    target_.restart = [this](const std::string&) {
      ++restarts_;
      if (!refuses_ || Lines() == 3) return Status();
      Run("touch started");
      target_.ended = ExitState{.code = 2};
      return Fail(StatusCode::kUnavailable, "exited with 2 before it answered");
    };
    target_.kill = [this] {
      child_.reset();
      target_.ended.reset();
      return Status();
    };
    target_.words = "the log is short";
  }
  int Lines() const {
    std::ifstream file(folder_ / "data" / "wal");
    return static_cast<int>(std::count(std::istreambuf_iterator<char>(file), {}, '\n'));
  }
  std::unique_ptr<Fault> FailPower() {
    auto fault = Make("power-failure");
    EXPECT_TRUE(fault->Arm(ports_).ok());
    return fault;
  }

  std::unique_ptr<Fault> forgets_;
  bool refuses_ = false;  // with a log that is too short
};

TEST_F(ForgetfulMember, MayRefuseWhatASyncPretendedToKeepAndGetsItBack) {
  refuses_ = true;
  Run("echo 2 | tee -a wal; sync wal; echo 3 | tee -a wal");
  const auto fault = FailPower();
  EXPECT_TRUE(fault->took_effect());
  EXPECT_EQ(restarts_, 2);
  EXPECT_EQ(Lines(), 3);
  EXPECT_FALSE(target_.may_give_up);
  EXPECT_EQ(fault->receipt().measured.at("lost_forgotten"), 1);
  // What it had done meanwhile is no part of a later failure.
  EXPECT_TRUE(disk_->LosePower({})->nothing());
  EXPECT_THAT(fault->receipt().text,
              AllOf(HasSubstr("; 1 of these changes a sync had pretended to keep"),
                    HasSubstr("refused to start: it exited with 2: the log is short;")));
}

TEST_F(ForgetfulMember, MayNotGiveUpAnyMoreOnceItServesAndTheFaultIsHealed) {
  Run("echo 2 | tee -a wal; sync wal");
  const auto fault = FailPower();
  EXPECT_TRUE(fault->took_effect());
  EXPECT_EQ(Lines(), 1);
  EXPECT_TRUE(target_.may_give_up);
  ASSERT_TRUE(fault->Heal(ports_).ok());
  EXPECT_FALSE(target_.may_give_up);
  EXPECT_FALSE(std::filesystem::exists(folder_ / "data.before"));
}

// Or a passed attempt would have shown no more than one with an honest disk.
TEST_F(ForgetfulMember, ProvesNothingWhereALaterSyncHadKeptAll) {
  Run("echo 2 | tee -a wal; sync wal");
  ASSERT_TRUE(forgets_->Heal(ports_).ok());
  Run("sync wal");
  const auto again = Make("forgetful-disk", {{"files", "log"}});
  ASSERT_TRUE(again->Arm(ports_).ok());
  Run("echo 3 | tee -a wal");
  const auto fault = FailPower();
  EXPECT_FALSE(fault->took_effect());
  EXPECT_FALSE(target_.may_give_up);
  EXPECT_EQ(Lines(), 2);
  EXPECT_THAT(fault->receipt().text, HasSubstr("none of these changes a sync had pretended"));
}

TEST_F(DiskFaultTest, WithoutADiskNothingIsDone) {
  target_.own_disk = nullptr;
  for (const std::string name : {"slow-disk", "power-failure", "crash-point"}) {
    EXPECT_EQ(Make(name)->Arm(ports_).code(), StatusCode::kUnimplemented) << name;
  }
  EXPECT_EQ(kills_, 0);
}

}  // namespace
}  // namespace watchproof
