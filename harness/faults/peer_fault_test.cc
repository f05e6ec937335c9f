// SPDX-License-Identifier: Apache-2.0
// Faults between members: fake members with a real proxy before each.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <deque>
#include <set>

#include "harness/faults/fault.h"
#include "harness/faults/test_target.h"

namespace watchproof {
namespace {

using ::testing::HasSubstr;
using Armed = std::set<std::string>;

// Members 1 to n, of which the first one leads.
class PeerFaultTest : public ::testing::Test {
 protected:
  void MakeMembers(int count) {
    ports_.proxies = &proxies_;
    ports_.now = [this] { return now_ += 25ms; };
    words_.resize(static_cast<std::size_t>(count));
    for (std::size_t i = 0; i < words_.size(); ++i) {
      words_[i] = {.revision = 10, .member = i + 1, .leader = 1, .term = 7};
      ServerPorts server;
      server.target = &targets_.emplace_back();
      targets_.back().ask = [this, i] { return words_[i]; };
      server.peer_path = proxies_
                             .Open({.name = fmt::format("peers of {}", i + 1),
                                    .target_port = 1,
                                    .caller_header = "X-Server-From"})
                             .value();
      server.caller = fmt::format("{:x}", i + 1);
      ports_.servers.push_back(std::move(server));
    }
  }
  static std::unique_ptr<Fault> Make(const std::string& name, const FaultParameters& given = {}) {
    auto made = MakeFault(name, given);
    EXPECT_TRUE(made.has_value()) << made.error().message();
    return std::move(made).value();
  }
  // "peers of 1 to-client 2": on that path, in that direction, for that caller.
  Armed NowArmed() const {
    Armed armed;
    for (const proxy::EffectState& effect : proxies_.Effects()) {
      if (effect.receipt.healed_at) continue;
      armed.insert(fmt::format("{} {} {}", effect.proxy, proxy::Name(effect.spec.direction),
                               effect.spec.caller));
    }
    return armed;
  }

  proxy::Proxies proxies_;
  FaultPorts ports_;
  std::deque<FakeTarget> targets_;
  std::vector<ServerStatus> words_;
  Duration now_{};
};

TEST_F(PeerFaultTest, OneLinkIsTheReceiversResponseStreamAndTheSendersRequests) {
  MakeMembers(3);
  const auto fault = Make("one-way-cut", {{"from", "1"}, {"to", "3"}});
  ASSERT_TRUE(fault->Arm(ports_).ok());
  EXPECT_EQ(NowArmed(), (Armed{"peers of 1 to-client 3", "peers of 3 to-target 1"}));
  EXPECT_TRUE(fault->Heal(ports_).ok());
  EXPECT_EQ(NowArmed(), Armed());
}

TEST_F(PeerFaultTest, AnIsolatedMemberHasNoLinkLeft) {
  MakeMembers(3);
  ASSERT_TRUE(Make("isolate", {{"member", "2"}})->Arm(ports_).ok());
  EXPECT_EQ(NowArmed(),
            (Armed{"peers of 1 to-client 2", "peers of 1 to-target 2", "peers of 2 to-client 1",
                   "peers of 2 to-client 3", "peers of 2 to-target 1", "peers of 2 to-target 3",
                   "peers of 3 to-client 2", "peers of 3 to-target 2"}));
}

TEST_F(PeerFaultTest, ASplitLeavesTheLinksOfEachPart) {
  MakeMembers(5);
  ASSERT_TRUE(Make("split", {{"leader", "minority"}})->Arm(ports_).ok());
  const Armed armed = NowArmed();
  EXPECT_TRUE(armed.contains("peers of 2 to-client 3"));
  EXPECT_FALSE(armed.contains("peers of 1 to-client 2")) << "both are in the minority";
  EXPECT_FALSE(armed.contains("peers of 4 to-client 5")) << "both are in the majority";
  EXPECT_EQ(armed.size(), 2U * 2 * 3 * 2);
  EXPECT_FALSE(MakeFault("split", {{"leader", "nowhere"}}).has_value());
}

TEST_F(PeerFaultTest, ARingNeedsFourAndLeavesNeighbours) {
  MakeMembers(5);
  ASSERT_TRUE(Make("ring")->Arm(ports_).ok());
  const Armed armed = NowArmed();
  EXPECT_TRUE(armed.contains("peers of 1 to-client 3"));
  EXPECT_FALSE(armed.contains("peers of 1 to-client 5"));
  ports_.servers.resize(3);
  EXPECT_THAT(Make("ring")->Arm(ports_).message(), HasSubstr("has no ring"));
}

TEST_F(PeerFaultTest, TookEffectOnlyIfAMemberLostItsLeader) {
  MakeMembers(3);
  const auto fault = Make("isolate", {{"member", "2"}});
  ASSERT_TRUE(fault->Arm(ports_).ok());
  fault->Observe(ports_);
  EXPECT_FALSE(fault->took_effect());
  words_[1].leader = 0;
  fault->Observe(ports_);
  EXPECT_TRUE(fault->took_effect());
  EXPECT_TRUE(fault->Heal(ports_).ok());
  EXPECT_EQ(fault->receipt().measured.at("members_without_leader"), 1);
}

TEST_F(PeerFaultTest, AHigherTermIsEvidence) {
  MakeMembers(3);
  const auto fault = Make("one-way-cut");
  ASSERT_TRUE(fault->Arm(ports_).ok());
  for (ServerStatus& word : words_) word.term = 8;
  fault->Observe(ports_);
  EXPECT_TRUE(fault->took_effect());
}

TEST_F(PeerFaultTest, DelayTookEffectIfTheMemberIsBehindForLongEnough) {
  MakeMembers(3);
  const auto fault = Make("slow-peer", {{"member", "2"}, {"delay", "200ms"}});
  ASSERT_TRUE(fault->Arm(ports_).ok());
  words_[0].revision = 11;
  fault->Observe(ports_);  // sees revision 11
  fault->Observe(ports_);
  EXPECT_FALSE(fault->took_effect()) << "behind only for a moment";
  fault->Observe(ports_);
  fault->Observe(ports_);
  EXPECT_TRUE(fault->took_effect());
}

TEST_F(PeerFaultTest, AMemberThatIsUpToDateIsNotSlow) {
  MakeMembers(3);
  const auto fault = Make("slow-peer", {{"member", "2"}, {"delay", "200ms"}});
  ASSERT_TRUE(fault->Arm(ports_).ok());
  for (int i = 0; i < 20; ++i) {
    words_[0].revision = 11 + i;
    words_[1].revision = 10 + i;
    fault->Observe(ports_);
  }
  EXPECT_FALSE(fault->took_effect());
}

TEST_F(PeerFaultTest, ASlowLinkIsThatOfWhatTheOthersSendToTheMember) {
  MakeMembers(3);
  const auto fault = Make("slow-link-to-member", {{"member", "2"}});
  ASSERT_TRUE(fault->Arm(ports_).ok());
  EXPECT_EQ(NowArmed(), (Armed{"peers of 1 to-client 2", "peers of 3 to-client 2",
                               "peers of 2 to-target 1", "peers of 2 to-target 3"}));
  words_[0].revision = 11;
  for (int i = 0; i < 10; ++i) fault->Observe(ports_);
  EXPECT_FALSE(fault->took_effect()) << "it is behind, but nothing was throttled";
}

TEST_F(PeerFaultTest, OneSlowLinkNeedsBytesThatWait) {
  MakeMembers(3);
  const auto fault = Make("slow-link", {{"from", "2"}, {"to", "1"}, {"delay", "800ms"}});
  ASSERT_TRUE(fault->Arm(ports_).ok());
  EXPECT_EQ(NowArmed(), (Armed{"peers of 2 to-client 1", "peers of 1 to-target 2"}));
  words_[0].revision = 11;
  for (int i = 0; i < 100; ++i) fault->Observe(ports_);
  EXPECT_FALSE(fault->took_effect()) << "a member is behind, but nothing had to wait";
}

TEST_F(PeerFaultTest, WithoutAProxyOrAClusterNothingIsArmed) {
  MakeMembers(3);
  ports_.proxies = nullptr;
  const auto fault = Make("isolate");
  ASSERT_TRUE(fault->Arm(ports_).ok());
  fault->Observe(ports_);
  EXPECT_FALSE(fault->took_effect());
  EXPECT_THAT(fault->receipt().text, HasSubstr("never armed"));
  ports_.servers.resize(1);
  EXPECT_THAT(Make("isolate")->Arm(ports_).message(), HasSubstr("not a cluster"));
}

}  // namespace
}  // namespace watchproof
