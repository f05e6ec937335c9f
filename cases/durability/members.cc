// SPDX-License-Identifier: Apache-2.0
// Operators change the members of a cluster: what they have made lasts, and every member says so.
#include "cases/support/watch_case.h"
#include "harness/scenario/steps/auth.h"
#include "harness/scenario/steps/member.h"
#include "harness/scenario/steps/spare.h"

namespace watchproof {
namespace {

constexpr int kAskedMember = 2;
constexpr int kLastMember = 3;
const std::string kReconfiguration =
    "members are added, moved, promoted and removed while the cluster serves (etcd operation "
    "guide, runtime reconfiguration)";

// A learner comes and goes while a watch of each member goes on.
void WatchBesideSpare(Scenario& scenario, const std::string& stem, const std::string& user = {}) {
  for (int member = 1; member <= kLastMember; ++member) {
    const std::string group = "of " + std::to_string(member);
    scenario.Open(
        {.group = group, .range = Below(stem), .user = user, .stream = group, .member = member});
  }
  scenario.PutSome(stem + "/before", {1, 5});
  scenario.Add(AddSpareStep{.member = kAskedMember});
  scenario.PutSome(stem + "/beside", {1, 5});
}
void AwaitWatches(Scenario& scenario, const std::string& stem) {
  scenario.PutSome(stem + "/after", {1, 5});
  for (int member = 1; member <= kLastMember; ++member) {
    scenario.AwaitDelivered("of " + std::to_string(member));
  }
}

WATCH_CASE(Enrolled, Learner,
           {.requirement = kReconfiguration,
            .explain = "A follower is asked to add a learner, to move it to another address, to "
                       "give it a vote, which it must refuse until that has caught up, and to "
                       "remove it. Each answer lists the members as the change has made them.",
            .needs = {Capability::kCluster, Capability::kLearners},
            .guarantees = {"Enrolled", "Reliable"}}) {
  const std::string stem = scenario.Key("spare");
  scenario.Cluster({.members = kLastMember});
  WatchBesideSpare(scenario, stem);
  scenario.Add(RemoveSpareStep{kLastMember});
  AwaitWatches(scenario, stem);
}

WATCH_CASE(Enrolled, LearnerWithUsers,
           {.requirement = kReconfiguration,
            .explain = "The same with authentication: the member that is asked passes the call on "
                       "to the leader, with the rights of its caller.",
            .needs = {Capability::kCluster, Capability::kLearners, Capability::kUsers},
            .guarantees = {"Enrolled", "Reliable"}}) {
  const std::string stem = scenario.Key("spare");
  const WatchedRange all = Below(stem);
  scenario.Cluster({.members = kLastMember});
  scenario.Add(AuthStep{{{.user = "reader", .key = all.key, .range_end = all.range_end}}});
  WatchBesideSpare(scenario, stem, "reader");
  scenario.Add(RemoveSpareStep{kLastMember});
  AwaitWatches(scenario, stem);
}

WATCH_CASE(Enrolled, LearnerWhileOneIsDown,
           {.requirement = kReconfiguration,
            .explain = "One member of four is down, and a learner is added: the cluster would have "
                       "its majority even if the learner got a vote, and this is how the one that "
                       "is lost is replaced. Then the member comes back, and must know of it.",
            .needs = {Capability::kCluster, Capability::kLearners, Capability::kDurable},
            .guarantees = {"Enrolled", "Reliable"}}) {
  constexpr int kDown = 4;
  const std::string stem = scenario.Key("spare");
  scenario.Cluster({.members = kDown});
  scenario.Inject("kill", {{"member", std::to_string(kDown)}, {"stay-down", "yes"}});
  scenario.AwaitEffect("kill");
  WatchBesideSpare(scenario, stem);
  scenario.Heal("kill");
  scenario.Add(AwaitCaughtUpStep{kDown});
  scenario.Add(RemoveSpareStep{kDown});
  AwaitWatches(scenario, stem);
}

// As the machines of a cluster are replaced.
WATCH_CASE(Enrolled, EachPromoted,
           {.requirement = kReconfiguration,
            .explain = "One after the other, two of three members are lost with their data, are "
                       "added again as learners, and get a vote once they have caught up. Then "
                       "each is killed and started again, and still has its vote: on a cluster "
                       "that is upgraded, as the next release.",
            .needs = {Capability::kCluster, Capability::kLearners, Capability::kDurable},
            .guarantees = {"Enrolled", "Reliable"}}) {
  const std::string stem = scenario.Key("promoted");
  scenario.Cluster({.members = kLastMember});
  scenario.Open({.group = "beside", .range = Below(stem), .stream = "beside", .member = 1});
  const Write first = scenario.Put(stem + "/first");
  for (int member = kAskedMember; member <= kLastMember; ++member) {
    const std::string number = std::to_string(member);
    scenario.Disturb("replace/" + number, {{"member", number}, {"learner", "yes"}});
    scenario.Add(AwaitCaughtUpStep{member});
    scenario.PutSome(stem + "/" + number, {1, 5});
  }
  for (int member = kAskedMember; member <= kLastMember; ++member) {
    const std::string number = std::to_string(member);
    scenario.Disturb("kill/" + number, {{"member", number}});
    scenario.Add(AwaitCaughtUpStep{member});
    scenario.Open({.group = "of " + number,
                   .range = Below(stem),
                   .start = first,
                   .stream = "of " + number,
                   .member = member});
  }
  scenario.PutSome(stem + "/after", {1, 5});
  scenario.AwaitDelivered("beside", "of 2", "of 3");
  scenario.Add(ListMembersStep{});
}

}  // namespace
}  // namespace watchproof
