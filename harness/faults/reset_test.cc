// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>

#include "harness/faults/test_path.h"

namespace watchproof {
namespace {

using proxy::TestPeer;
using ::testing::HasSubstr;

class ResetFault : public TestPath {
 protected:
  static std::unique_ptr<Fault> Make(const FaultParameters& parameters = {}) {
    return TestPath::Make("reset", parameters);
  }
};

TEST_F(ResetFault, TookEffectIfAStreamEndedAfterTheCut) {
  OpenPair();
  closed_ = 3;  // ended before the fault
  const auto fault = Make();
  ASSERT_TRUE(fault->Arm(ports_).ok());
  EXPECT_EQ(client_.Next(), TestPeer::Outcome::kReset);
  fault->Observe(ports_);
  EXPECT_FALSE(fault->took_effect());
  closed_ = 4;
  fault->Observe(ports_);
  EXPECT_TRUE(fault->took_effect());
  ASSERT_TRUE(fault->Heal(ports_).ok());
  EXPECT_EQ(fault->receipt().measured.at("connections_cut"), 1);
  EXPECT_EQ(fault->receipt().measured.at("streams_closed"), 1);
  EXPECT_THAT(fault->receipt().text, HasSubstr("connections_cut: 1"));
}

TEST_F(ResetFault, NoEffectWithoutConnections) {
  const auto fault = Make();
  ASSERT_TRUE(fault->Arm(ports_).ok());
  closed_ = 1;
  fault->Observe(ports_);
  EXPECT_FALSE(fault->took_effect());
}

TEST_F(ResetFault, SparesLaterConnections) {
  const auto fault = Make();
  ASSERT_TRUE(fault->Arm(ports_).ok());
  OpenPair();
  ASSERT_TRUE(fault->Heal(ports_).ok());
  EXPECT_EQ(fault->receipt().measured.at("connections_cut"), 0);
}

TEST_F(ResetFault, CutInTheMiddleOfAMessage) {
  OpenPair();
  const auto fault = Make({{"after-bytes", "3B"}});
  ASSERT_TRUE(fault->Arm(ports_).ok());
  ASSERT_TRUE(client_.Send("does not count"));
  EXPECT_EQ(target_.Receive(14), "does not count");
  ASSERT_TRUE(target_.Send("abcdef"));
  EXPECT_EQ(client_.Receive(100), "abc");
}

TEST_F(ResetFault, IsNeverArmedWithoutAProxy) {
  ports_.proxies = nullptr;
  const auto fault = Make();
  ASSERT_TRUE(fault->Arm(ports_).ok());
  fault->Observe(ports_);
  ASSERT_TRUE(fault->Heal(ports_).ok());
  EXPECT_FALSE(fault->took_effect());
  EXPECT_THAT(fault->receipt().text, HasSubstr("never armed"));
}

TEST_F(ResetFault, RejectsInvalidValues) {
  EXPECT_FALSE(MakeFault("reset", {{"future", "maybe"}}).has_value());
  EXPECT_FALSE(MakeFault("reset", {{"after-bytes", "3"}}).has_value());
}

}  // namespace
}  // namespace watchproof
