// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <fstream>

#include "harness/faults/fault.h"
#include "harness/faults/test_target.h"

namespace watchproof {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

const std::string kWhole(3000, 'w');

// A member of three with one file, which starts unless the test says otherwise.
class DamagedFileTest : public ::testing::Test {
 protected:
  void SetUp() override {
    folder_ = std::filesystem::path(::testing::TempDir()) /
              fmt::format("damaged_{}_{}", getpid(),
                          ::testing::UnitTest::GetInstance()->current_test_info()->name());
    std::filesystem::create_directories(folder_);
    std::ofstream(folder_ / "wal") << kWhole;
    target_.keeps = true;
    target_.files = DataFiles{.folder = folder_, .classes = {{"log", "wal*"}}};
    target_.words = "the log\nis torn,\"stacktrace\":\"main";
    target_.kill = [this] {
      ++kills_;
      target_.ended.reset();
      return Status();
    };
    target_.restart = [this](const std::string&) {
      ++restarts_;
      if (!refuses_ || Content() == kWhole) return started_;
      target_.ended = ExitState{.code = 2};
      return Fail(StatusCode::kUnavailable, "exited with 2 before it answered");
    };
    target_.ask = [] { return ServerStatus{.revision = 7}; };
    ports_.now = [this] { return now_ += 1ms; };
    ports_.servers = {{.target = &other_}, {.target = &target_}, {.target = &other_}};
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }

  static std::unique_ptr<Fault> Make(FaultParameters parameters = {}) {
    parameters["member"] = "2";
    auto made = MakeFault("damaged-file", parameters);
    EXPECT_TRUE(made.has_value()) << made.error().message();
    return std::move(made).value();
  }
  std::string Content() const {
    std::ifstream file(folder_ / "wal", std::ios::binary);
    return {std::istreambuf_iterator<char>(file), {}};
  }

  std::filesystem::path folder_;
  FakeTarget target_;
  FakeTarget other_;
  FaultPorts ports_;
  Duration now_{};
  int kills_ = 0;
  int restarts_ = 0;
  bool refuses_ = false;  // to start with a damaged file
  Status started_;
};

TEST_F(DamagedFileTest, TookEffectOnceTheMemberAnswersAndThenItKeepsItsFile) {
  const auto fault = Make({{"how", "tail"}});
  ASSERT_TRUE(fault->Arm(ports_).ok());
  EXPECT_TRUE(fault->took_effect());
  const std::string damaged = Content();
  EXPECT_LT(damaged.size(), kWhole.size());
  ASSERT_TRUE(fault->Heal(ports_).ok());
  EXPECT_EQ(Content(), damaged);
  EXPECT_EQ(kills_, 1);
  EXPECT_EQ(restarts_, 1);
  const FaultReceipt receipt = fault->receipt();
  EXPECT_TRUE(receipt.fired);
  EXPECT_EQ(receipt.measured.at("damaged_bytes"),
            static_cast<std::int64_t>(kWhole.size() - damaged.size()));
  EXPECT_THAT(receipt.text, AllOf(HasSubstr("of 3000 bytes of wal are gone"),
                                  HasSubstr("answered again with revision 7")));
}

TEST_F(DamagedFileTest, MemberThatRefusesToStartGetsItsFileBackAtOnce) {
  refuses_ = true;
  const auto fault = Make();
  ASSERT_TRUE(fault->Arm(ports_).ok());
  EXPECT_TRUE(fault->took_effect());
  EXPECT_EQ(Content(), kWhole);
  EXPECT_EQ(restarts_, 2);
  EXPECT_FALSE(target_.may_give_up);
  ASSERT_TRUE(fault->Heal(ports_).ok());
  EXPECT_EQ(restarts_, 2);
  EXPECT_THAT(fault->receipt().text,
              AllOf(HasSubstr("refused to start: it exited with 2: the log is torn;"),
                    HasSubstr("with its data as it was it answered with revision 7")));
}

TEST_F(DamagedFileTest, OrWhenItIsHealed) {
  refuses_ = true;
  const auto fault = Make({{"stay-down", "yes"}});
  ASSERT_TRUE(fault->Arm(ports_).ok());
  EXPECT_TRUE(fault->took_effect());
  EXPECT_TRUE(target_.may_give_up);
  EXPECT_NE(Content(), kWhole);
  EXPECT_THAT(fault->receipt().text, Not(HasSubstr("as it was")));
  ASSERT_TRUE(fault->Heal(ports_).ok());
  EXPECT_EQ(Content(), kWhole);
  EXPECT_EQ(restarts_, 2);
}

TEST_F(DamagedFileTest, MemberThatEndsLaterGetsItsFileBackWhenHealed) {
  const auto fault = Make();
  ASSERT_TRUE(fault->Arm(ports_).ok());
  target_.ended = ExitState{.signal = SIGBUS};
  fault->Observe(ports_);
  EXPECT_NE(Content(), kWhole);
  ASSERT_TRUE(fault->Heal(ports_).ok());
  EXPECT_EQ(Content(), kWhole);
  EXPECT_THAT(fault->receipt().text, HasSubstr("; the member then was killed by signal 7"));
}

TEST_F(DamagedFileTest, NeitherAnAnswerNorAnEndIsAnError) {
  started_ = Fail(StatusCode::kDeadlineExceeded, "did not answer");
  const auto fault = Make();
  EXPECT_THAT(fault->Arm(ports_).message(), HasSubstr("did not answer"));
  EXPECT_FALSE(fault->took_effect());
}

TEST_F(DamagedFileTest, MemberThatDoesNotStartWithItsFileBackIsAnError) {
  refuses_ = true;
  target_.ask = [] { return Fail(StatusCode::kUnavailable, "is not back"); };
  EXPECT_THAT(Make()->Arm(ports_).message(), HasSubstr("is not back"));
}

TEST_F(DamagedFileTest, WithoutSuchAFileItIsAKillWithoutEffect) {
  const auto fault = Make({{"files", "no-such-file*"}});
  ASSERT_TRUE(fault->Arm(ports_).ok());
  ASSERT_TRUE(fault->Heal(ports_).ok());
  EXPECT_FALSE(fault->took_effect());
  EXPECT_FALSE(target_.may_give_up);
  EXPECT_EQ(restarts_, 1);
  EXPECT_THAT(fault->receipt().text, HasSubstr("no file with content"));
}

TEST_F(DamagedFileTest, MostDisksStayWhole) {
  ports_.servers.pop_back();
  EXPECT_EQ(Make()->Arm(ports_).code(), StatusCode::kUnimplemented);
  EXPECT_EQ(kills_, 0);
  EXPECT_EQ(Content(), kWhole);
}

TEST_F(DamagedFileTest, FilesThatAreNotKnownAreNotDamaged) {
  target_.files.reset();
  EXPECT_EQ(Make()->Arm(ports_).code(), StatusCode::kUnimplemented);
  EXPECT_EQ(kills_, 0);
}

}  // namespace
}  // namespace watchproof
