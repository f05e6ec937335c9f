// SPDX-License-Identifier: Apache-2.0
// A consumer follows keys of a cluster while its members are restarted one after the other, as the
// same release or as the next one. No layer may miss a change.
#include "cases/consumers/followed_keys.h"
#include "harness/scenario/steps/member.h"

namespace watchproof {
namespace {

constexpr int kMembersOfCluster = 3;
constexpr int kRounds = 2;

// Clients write all the time, at a member that stays.
void RestartUnderLoad(Scenario& scenario, FollowedKeys& keys, int member, int round) {
  const std::string name = fmt::format("{}-{}", member, round);
  const std::string restart = "restart/" + name;
  const int stays = member == 1 ? 2 : 1;
  scenario.Add(UseMemberStep{stays});
  scenario.BeginLoad({.load = "load-" + name,
                      .clients = 4,
                      .calls = 100,
                      .key = FollowedStem(),
                      .direct = true,
                      .member = stays});
  scenario.Inject(restart, {{"member", std::to_string(member)}});
  scenario.AwaitEffect(restart);
  scenario.AwaitLoad("load-" + name);
  for (int one = 1; one <= kMembersOfCluster; ++one) scenario.Add(AwaitCaughtUpStep{one});
  scenario.Heal(restart);
  keys.Write(scenario.Random(restart).Between(3, 8));
}

CONSUMER_CASE(
    RollingRestart,
    {.explain = "The members of a cluster are restarted one after the other, twice, while "
                "clients write the keys that the consumer follows. With a target such as "
                "etcd@3.5.30,upgrade=3.6.16+3.7.3 that is a rolling upgrade through both "
                "releases: each member must report that it runs them, otherwise the attempt "
                "is inconclusive.",
     .needs = {Capability::kProxy, Capability::kCluster}}) {
  scenario.Cluster({.members = kMembersOfCluster});
  FollowedKeys keys(scenario, 8);
  keys.Write(scenario.Random("before").Between(5, 15));
  Follow(scenario);
  for (int round = 1; round <= kRounds; ++round) {
    for (int one = 1; one <= kMembersOfCluster; ++one) scenario.Add(AwaitReleaseStep{one});
    // The first one last: that is where the consumer is.
    for (const int member : {2, 3, 1}) RestartUnderLoad(scenario, keys, member, round);
  }
}

}  // namespace
}  // namespace watchproof
