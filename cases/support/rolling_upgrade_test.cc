// SPDX-License-Identifier: Apache-2.0
#include "cases/support/rolling_upgrade.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "harness/scenario/plan_check.h"
#include "harness/scenario/steps/fault.h"
#include "harness/scenario/steps/lease.h"
#include "harness/scenario/steps/member.h"
#include "harness/scenario/steps/watch.h"
#include "harness/scenario/steps/write.h"

namespace watchproof {
namespace {

using testing::ElementsAre;

// "put stall put 2 1": the faults of the plan and its writes, in their order.
std::string Course(const Plan& plan) {
  std::string text;
  for (const Step& step : plan.steps) {
    if (step.As<PutStep>() != nullptr) text += "put ";
    if (const auto* heal = step.As<HealStep>()) {
      if (!heal->fault.starts_with("restart")) text += "heal ";
    }
    if (const auto* inject = step.As<InjectStep>()) {
      const auto member = inject->parameters.find("member");
      text += member == inject->parameters.end() ? inject->fault : member->second;
      text += " ";
    }
  }
  return text;
}

std::vector<std::string> Resumed(const Plan& plan) {
  std::vector<std::string> groups;
  for (const Step& step : plan.steps) {
    if (const auto* resume = step.As<ResumeStep>()) groups.push_back(resume->group);
  }
  return groups;
}

TEST(WithUpgrade, RestartsTheOtherMembersBetweenTheStepsAndTheFirstOneAtTheEnd) {
  Plan plan;
  for (int i = 0; i < 6; ++i) plan.steps.push_back(PutStep{.key = "k"});
  const Plan upgraded = WithUpgrade(plan, {{"3.6.16"}});
  EXPECT_EQ(Course(upgraded), "put put 2 put put 3 put put put 1 ")
      << "the last one reaches the watch that the upgrade brings";
  EXPECT_EQ(upgraded.cluster.members, 3);
  EXPECT_TRUE(CheckPlan(upgraded).ok()) << CheckPlan(upgraded).message();
}

TEST(WithUpgrade, LeavesOtherFaultsAlone) {
  Plan plan;
  plan.steps = {PutStep{.key = "k"}, InjectStep{.fault = "stall"}, PutStep{.key = "k"},
                PutStep{.key = "k"}};
  EXPECT_EQ(Course(WithUpgrade(plan, {{"3.6.16"}})), "put 2 3 stall put put heal put 1 ");
}

TEST(WithUpgrade, ACaseWithAClusterOfItsOwnIsUpgradedAfterIt) {
  Plan plan;
  plan.cluster.members = 5;
  plan.steps = {PutStep{.key = "k"}, PutStep{.key = "k"}, PutStep{.key = "k"}};
  EXPECT_EQ(Course(WithUpgrade(plan, {{"3.6.16"}})), "put put put 2 3 4 5 put 1 ");
}

TEST(WithUpgrade, ACaseWithLeasesIsUpgradedAfterIt) {
  Plan plan;
  plan.steps = {LeaseStep{.lease = "l"}, PutStep{.key = "k", .lease = "l"}, PutStep{.key = "k"}};
  EXPECT_EQ(Course(WithUpgrade(plan, {{"3.6.16"}})), "put put 2 3 put 1 ");
}

TEST(WithUpgrade, TheWatchOfAUserIsNotResumed) {
  Plan plan;
  plan.steps = {WatchStep{.group = "puts", .range = {"k"}, .user = "reader"},
                AwaitCreatedStep{"puts"}, PutStep{.key = "k"}};
  EXPECT_THAT(Resumed(WithUpgrade(plan, {{"3.6.16"}})), ElementsAre("upgrade"));
}

TEST(WithUpgrade, ACaseThatRestartsEveryMemberItselfDoesItAsTheRelease) {
  Plan plan;
  plan.cluster.members = 2;
  for (const char* member : {"1", "2"}) {
    plan.steps.push_back(
        InjectStep{.fault = fmt::format("restart/{}", member), .parameters = {{"member", member}}});
  }
  const Plan upgraded = WithUpgrade(plan, {{"3.6.16"}});
  ASSERT_EQ(upgraded.steps.size(), 2U);
  EXPECT_EQ(upgraded.steps[1].As<InjectStep>()->parameters.at("release"), "3.6.16");
  plan.steps.pop_back();
  EXPECT_EQ(Course(WithUpgrade(plan, {{"3.6.16"}})), "1 2 3 put 1 ") << "not all restarted";
}

TEST(WithUpgrade, TheNextReleaseFollowsWhereTheWatchesAre) {
  Plan plan;
  plan.steps = {WatchStep{.group = "open", .range = {"k"}}, AwaitCreatedStep{"open"},
                PutStep{.key = "k"}};
  const Plan upgraded = WithUpgrade(plan, {{"3.6.16"}, {"3.7.3"}});
  EXPECT_EQ(Course(upgraded), "2 3 put put put 1 1 3 put put 2 ");
  EXPECT_GT(upgraded.cluster.snapshot_count, 0);
  EXPECT_EQ(WithUpgrade(plan, {{"3.6.16"}}).cluster.snapshot_count, 0);
  EXPECT_THAT(Resumed(upgraded), ElementsAre("open", "upgrade", "open after the upgrade",
                                             "upgrade after the upgrade"));
  EXPECT_TRUE(CheckPlan(upgraded).ok()) << CheckPlan(upgraded).message();
  std::vector<std::string> releases;
  for (const Step& step : upgraded.steps) {
    if (const auto* inject = step.As<InjectStep>()) {
      releases.push_back(inject->parameters.at("release"));
    }
  }
  EXPECT_THAT(releases, ElementsAre("3.6.16", "3.6.16", "3.6.16", "3.7.3", "3.7.3", "3.7.3"));
}

TEST(WithUpgrade, ACaseThatRestartsEveryMemberTwiceDoesItAsBothReleases) {
  Plan plan;
  plan.cluster.members = 2;
  for (const char* member : {"1", "2", "2", "1"}) {
    plan.steps.push_back(InjectStep{.fault = fmt::format("restart/{}", plan.steps.size()),
                                    .parameters = {{"member", member}}});
  }
  const Plan upgraded = WithUpgrade(plan, {{"3.6.16"}, {"3.7.3"}});
  ASSERT_EQ(upgraded.steps.size(), 4U);
  EXPECT_EQ(upgraded.steps[1].As<InjectStep>()->parameters.at("release"), "3.6.16");
  EXPECT_EQ(upgraded.steps[2].As<InjectStep>()->parameters.at("release"), "3.7.3");
}

TEST(WithUpgrade, ADowngradeIsPermittedBeforeTheFirstRestart) {
  Plan plan;
  plan.steps = {PutStep{.key = "k"}};
  const Plan both = WithUpgrade(plan, {{"3.6.16", true}, {"3.7.3"}});
  EXPECT_TRUE(CheckPlan(both).ok()) << CheckPlan(both).message();
  std::vector<std::string> course;
  for (const Step& step : both.steps) {
    if (step.As<PermitDowngradeStep>() != nullptr) course.emplace_back("permit");
    if (const auto* await = step.As<AwaitReleaseStep>()) {
      course.push_back("await " + (await->release.empty() ? "its own" : await->release));
    }
    if (step.As<InjectStep>() != nullptr) course.emplace_back("restart");
  }
  EXPECT_THAT(course, ElementsAre("permit", "await 3.6.16", "await 3.6.16", "await 3.6.16",
                                  "restart", "restart", "restart", "await its own", "await its own",
                                  "await its own", "restart", "restart", "restart"));
}

TEST(WithUpgrade, ALaterDowngradeIsPermittedAlsoForACaseThatRestartsEveryMember) {
  Plan plan;
  plan.cluster.members = 2;
  for (const char* restart : {"restart/1", "restart/2", "restart/3", "restart/4"}) {
    const std::string member = restart[8] == '1' || restart[8] == '3' ? "1" : "2";
    plan.steps.push_back(InjectStep{.fault = restart, .parameters = {{"member", member}}});
  }
  const auto permits = [&plan](const std::vector<NextRelease>& releases) {
    const Plan upgraded = WithUpgrade(plan, releases);
    return std::ranges::count_if(
        upgraded.steps, [](const Step& step) { return step.As<PermitDowngradeStep>() != nullptr; });
  };
  EXPECT_EQ(permits({{"3.7.3"}, {"3.6.16", true}}), 1);
  EXPECT_EQ(permits({{"3.6.16", true}, {"3.7.3"}}), 1);
}

TEST(WithUpgrade, ResumesWhatIsOpen) {
  Plan plan;
  plan.steps = {WatchStep{.group = "open", .range = {"k"}},
                AwaitCreatedStep{"open"},
                WatchStep{.group = "ended", .range = {"k"}},
                AwaitCreatedStep{"ended"},
                CancelStep{"ended"},
                PutStep{.key = "k"}};
  const Plan upgraded = WithUpgrade(plan, {{"3.6.16"}});
  EXPECT_THAT(Resumed(upgraded), ElementsAre("open", "upgrade"));
  EXPECT_TRUE(CheckPlan(upgraded).ok()) << CheckPlan(upgraded).message();
  plan.steps.erase(plan.steps.begin(), plan.steps.begin() + 2);
  EXPECT_THAT(Resumed(WithUpgrade(plan, {{"3.6.16"}})), ElementsAre("upgrade"));
}

}  // namespace
}  // namespace watchproof
