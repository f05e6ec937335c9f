// SPDX-License-Identifier: Apache-2.0
#include "harness/explore/cluster/cluster_grammar.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <set>

#include "harness/explore/cluster/cluster_events.h"
#include "harness/faults/fault.h"
#include "harness/results/attempt_spec.h"
#include "harness/scenario/plan_check.h"
#include "harness/scenario/steps/auth.h"
#include "harness/scenario/steps/fault.h"
#include "harness/scenario/steps/load.h"
#include "harness/scenario/steps/member.h"
#include "harness/scenario/steps/spare.h"
#include "harness/scenario/steps/watch.h"

namespace watchproof {
namespace {

constexpr std::uint64_t kPlans = 400;

void ForEachPlan(const std::function<void(const Plan&)>& visit) {
  for (std::uint64_t seed = 1; seed <= kPlans; ++seed) {
    SCOPED_TRACE(seed);
    visit(DrawCluster(Prng(seed), {.restores = true, .learners = true}));
  }
}

TEST(ClusterGrammar, EveryPlanCanBeCarriedOutInItsTime) {
  ForEachPlan([](const Plan& plan) {
    const Status fine = CheckPlan(plan);
    EXPECT_TRUE(fine.ok()) << fine.message();
    EXPECT_TRUE(CheckWaits(plan, TimeForSteps({})).ok());
    EXPECT_THAT(NeedsOf(plan), testing::Contains(Capability::kCluster));
  });
}

TEST(ClusterGrammar, ASeedAlwaysDrawsTheSamePlan) {
  const auto lines = [](std::uint64_t seed) { return StepLines(DrawCluster(Prng(seed), {})); };
  EXPECT_EQ(lines(7), lines(7));
  EXPECT_NE(lines(7), lines(8));
}

TEST(ClusterGrammar, DrawsEveryKindOfEventOnEveryMember) {
  std::map<std::string, std::set<std::string>> members;  // by fault
  ForEachPlan([&](const Plan& plan) {
    for (const Step& step : plan.steps) {
      const auto* const inject = step.As<InjectStep>();
      if (inject == nullptr) continue;
      auto& of_fault = members[KindOf(inject->fault)];
      for (const char* const name : {"member", "to"}) {
        const auto given = inject->parameters.find(name);
        if (given != inject->parameters.end()) of_fault.insert(given->second);
      }
    }
  });
  for (const char* const fault :
       {"crash-point", "defragment", "failing-disk", "full-disk", "isolate", "kill", "move-leader",
        "pause", "power-failure", "replace", "restart", "slow-disk", "slow-link-to-member",
        "slow-peer"}) {
    EXPECT_THAT(members[fault], testing::ElementsAre("1", "2", "3")) << fault;
  }
  for (const char* const fault :
       {"bandwidth", "black-hole", "blackout", "close", "goaway", "half-open", "latency",
        "no-space", "one-way-cut", "reset", "restore", "slice", "slow-link", "split", "stall"}) {
    EXPECT_TRUE(members.contains(fault)) << fault;
  }
}

// Without the disk of a member that can fail there are still kills.
TEST(ClusterGrammar, LeavesDisksAloneWhereNoneCanFail) {
  for (std::uint64_t seed = 1; seed <= kPlans; ++seed) {
    const Plan plan = DrawCluster(Prng(seed), {.disks = false});
    EXPECT_THAT(NeedsOf(plan), testing::Not(testing::Contains(Capability::kDisk)));
  }
}

// A member cannot start while it is cut off, or while its disk holds a call.
TEST(ClusterGrammar, LinksAndDisksAreHealedBeforeAMemberStarts) {
  ForEachPlan([](const Plan& plan) {
    std::set<std::string> active;
    for (const Step& step : plan.steps) {
      if (const auto* const inject = step.As<InjectStep>()) active.insert(KindOf(inject->fault));
      const auto* const heal = step.As<HealStep>();
      if (heal == nullptr) continue;
      active.erase(KindOf(heal->fault));
      const auto info = FindFault(KindOf(heal->fault));
      if (info->ends_streams != EndsStreams::kEvery) continue;
      for (const char* const other :
           {"isolate", "split", "one-way-cut", "slow-link", "slow-peer", "slow-disk"}) {
        EXPECT_FALSE(active.contains(other)) << heal->fault << " during " << other;
      }
    }
  });
}

// And first of all with the one that needs a snapshot of it.
TEST(ClusterGrammar, MostMembersComeBackToOneThatIsBehind) {
  int outages = 0;
  int with_learner = 0;
  ForEachPlan([&](const Plan& plan) {
    std::string apart;
    std::size_t ended = 0;
    bool spare = false;
    for (const Step& step : plan.steps) {
      if (step.As<AddSpareStep>() != nullptr) spare = true;
      if (step.As<RemoveSpareStep>() != nullptr) spare = false;
      const auto* const inject = step.As<InjectStep>();
      if (inject != nullptr) {
        const std::string kind = KindOf(inject->fault);
        if (kind == "isolate") apart = inject->fault;
        if (!apart.empty() && (kind == "kill" || kind == "power-failure")) ++ended;
      }
      const auto* const heal = step.As<HealStep>();
      if (heal == nullptr || heal->fault != apart) continue;
      outages += ended == 2 ? 1 : 0;
      with_learner += ended == 2 && spare ? 1 : 0;
      ended = 0;
      apart.clear();
    }
  });
  EXPECT_GT(outages, 20);
  EXPECT_GT(with_learner, 2);
}

// What is written while the store is restored would not be known to the model.
TEST(ClusterGrammar, NothingIsUnderWayWhenTheStoreIsRestored) {
  ForEachPlan([](const Plan& plan) {
    std::set<std::string> loads;
    for (const Step& step : plan.steps) {
      if (const auto* const load = step.As<LoadStep>()) loads.insert(load->load);
      if (const auto* const stop = step.As<StopLoadStep>()) loads.erase(stop->load);
      if (const auto* const await = step.As<AwaitLoadStep>()) loads.erase(await->load);
      const auto* const inject = step.As<InjectStep>();
      if (inject == nullptr || KindOf(inject->fault) != "restore") continue;
      EXPECT_THAT(loads, testing::IsEmpty());
    }
  });
}

// A cluster has one learner at most, and a store that is restored has the members from before.
TEST(ClusterGrammar, ALearnerIsGoneBeforeMembersAreReplacedOrRestored) {
  std::set<std::string> beside;  // kinds of faults that were active meanwhile
  ForEachPlan([&](const Plan& plan) {
    bool spare = false;
    for (const Step& step : plan.steps) {
      if (step.As<AddSpareStep>() != nullptr) {
        EXPECT_FALSE(std::exchange(spare, true));
      }
      if (step.As<RemoveSpareStep>() != nullptr) spare = false;
      const auto* const inject = step.As<InjectStep>();
      if (inject == nullptr) continue;
      const std::string fault = KindOf(inject->fault);
      if (spare) beside.insert(fault);
      EXPECT_FALSE(spare && (fault == "replace" || fault == "restore")) << fault;
    }
    EXPECT_FALSE(spare);
  });
  EXPECT_GE(beside.size(), 5u);
}

// One after the other, and none to a release before all have taken over the one before it.
TEST(ClusterGrammar, EveryMemberBecomesEachReleaseInTurn) {
  std::set<std::string> beside;  // kinds of faults that were active meanwhile
  for (std::uint64_t seed = 1; seed <= kPlans; ++seed) {
    SCOPED_TRACE(seed);
    const Plan plan = DrawCluster(
        Prng(seed), {.releases = {{.release = "3.6.16"}, {.release = "3.5.35", .older = true}}});
    EXPECT_TRUE(CheckPlan(plan).ok()) << CheckPlan(plan).message();
    std::string became;
    bool permitted = false;
    std::set<std::string> active;
    for (const Step& step : plan.steps) {
      if (step.As<PermitDowngradeStep>() != nullptr) permitted = true;
      if (const auto* const heal = step.As<HealStep>()) active.erase(KindOf(heal->fault));
      const auto* const inject = step.As<InjectStep>();
      if (inject == nullptr) continue;
      active.insert(KindOf(inject->fault));
      const auto release = inject->parameters.find("release");
      if (release == inject->parameters.end()) continue;
      EXPECT_EQ(permitted, release->second == "3.5.35");
      became += inject->parameters.at("member") + ":" + release->second + " ";
      beside.insert(active.begin(), active.end());
    }
    EXPECT_EQ(became, "1:3.6.16 2:3.6.16 3:3.6.16 1:3.5.35 2:3.5.35 3:3.5.35 ");
  }
  EXPECT_THAT(beside, testing::IsSupersetOf({"isolate", "defragment", "slow-peer"}));
}

// A user is there before its load, and a member that starts again would have forgotten its login.
TEST(ClusterGrammar, RightsChangeWhileMembersAreApartAndNoneStartsAgain) {
  int apart = 0;
  ForEachPlan([&apart](const Plan& plan) {
    if (DefinedBy(plan, Subject::kUser).empty()) return;
    std::set<std::string> active;
    for (const Step& step : plan.steps) {
      if (const auto* const heal = step.As<HealStep>()) active.erase(heal->fault);
      if (const auto* const inject = step.As<InjectStep>()) {
        active.insert(inject->fault);
        EXPECT_NE(FindFault(KindOf(inject->fault))->ends_streams, EndsStreams::kEvery)
            << inject->fault;
      }
      apart += step.As<PermitStep>() != nullptr && !active.empty() ? 1 : 0;
    }
  });
  EXPECT_GT(apart, 20);
}

TEST(ClusterEvents, TwoMeetWhereOneBeginsDuringTheOtherOrRightAfterIt) {
  Plan plan;
  plan.steps = {LoadStep{.load = "1", .leases = true},
                InjectStep{"pause/1", {{"member", "1"}}},
                InjectStep{"slow-disk/1", {{"member", "2"}, {"files", "log"}, {"calls", "sync"}}},
                HealStep{"pause/1"},
                HealStep{"slow-disk/1"},
                StopLoadStep{"1"},
                InjectStep{"kill/2", {{"member", "3"}}},
                HealStep{"kill/2"}};
  EXPECT_THAT(PairsOf(plan),
              testing::UnorderedElementsAre("calls, leases + pause leader",
                                            "calls, leases + slow-disk log sync follower",
                                            "pause leader + slow-disk log sync follower",
                                            "slow-disk log sync follower > kill follower"));
  const std::set<std::string> in_effect = {"pause/1", "kill/2"};
  EXPECT_THAT(PairsOf(plan, &in_effect),
              testing::UnorderedElementsAre("calls, leases + pause leader",
                                            "pause leader > kill follower"));
}

}  // namespace
}  // namespace watchproof
