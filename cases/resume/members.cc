// SPDX-License-Identifier: Apache-2.0
// Watches of a cluster with members that are lost and come back.
#include "cases/support/watch_case.h"
#include "harness/scenario/steps/member.h"

namespace watchproof {
namespace {

// A member that is cut off delivers nothing on its watches and cannot detect that it is behind. A
// client that does not accept this sends the metadata "hasleader" when it opens its stream, and the
// member then ends the stream.
constexpr int kLost = 3;

WATCH_CASE(Settled, LossOfRequiredLeader,
           {.requirement = "a stream with the metadata hasleader is ended when its member has had "
                           "no leader for three election timeouts (etcd client, WithRequireLeader)",
            .explain = "Two streams lead to one follower, one of which requires a leader. The "
                       "follower is cut off. The stream that requires a leader must end, so that "
                       "its client can connect elsewhere. The other stream must stay open and "
                       "deliver every event once the follower is back.",
            .needs = {Capability::kCluster, Capability::kProxy},
            .guarantees = {"Settled", "Reliable"}}) {
  const std::string key = scenario.Key("far");
  scenario.Cluster({.members = 3});
  scenario.Put(key);
  scenario.Watch({.group = "requires leader",
                  .count = 3,
                  .range = OneKey(key),
                  .stream = "requires leader",
                  .member = kLost,
                  .require_leader = true});
  scenario.Watch(
      {.group = "waits", .count = 3, .range = OneKey(key), .stream = "waits", .member = kLost});
  scenario.AwaitCreated("requires leader", "waits");
  scenario.Put(key);
  scenario.AwaitDelivered("requires leader");
  scenario.Inject("isolate", {{"member", std::to_string(kLost)}});
  scenario.AwaitEffect("isolate");
  for (int i = 0; i < 20; ++i) scenario.Put(key);
  scenario.Add(MustEndStep{"requires leader"});
  scenario.Resume("requires leader", "elsewhere", 1);
  scenario.AwaitDelivered("elsewhere");
  scenario.Heal("isolate");
  scenario.Add(AwaitCaughtUpStep{kLost});
  scenario.Put(key);
  scenario.AwaitDelivered("waits");
}

// A client that loses its member connects to another one and resumes its watch there.
constexpr int kMembers = 3;

void AwaitAll(Scenario& scenario) {
  for (int member = 1; member <= kMembers; ++member) scenario.Add(AwaitCaughtUpStep{member});
}

WATCH_CASE(Resumable, MemberFailover,
           {.requirement = "a watch resumes after the last event (etcd API, watch guarantees, "
                           "resumable), at any member of a cluster",
            .explain = "Watches on a follower receive some writes; the follower is killed and "
                       "stays down while more is written. The watches are resumed on another "
                       "member, and later on the first one again. Together they must have "
                       "received every event, once.",
            .needs = {Capability::kCluster},
            .guarantees = {"Resumable", "Reliable"}}) {
  const std::string key = scenario.Key("hopping");
  scenario.Cluster({.members = kMembers});
  scenario.Open(
      {.group = "first member", .count = 5, .range = OneKey(key), .stream = "m2", .member = 2});
  for (int i = 0; i < 20; ++i) scenario.Put(key);
  scenario.Inject("kill", {{"member", "2"}, {"stay-down", "yes"}});
  for (int i = 0; i < 20; ++i) scenario.Put(key);
  scenario.Resume("first member", "other member", 3);
  for (int i = 0; i < 20; ++i) scenario.Put(key);
  scenario.AwaitDelivered("other member");
  scenario.Heal("kill");
  scenario.Add(AwaitCaughtUpStep{2});
  scenario.Put(key);
  scenario.Add(CancelStep{"other member"});
  scenario.Resume("other member", "first member again", 2);
  scenario.Put(key);
  scenario.AwaitDelivered("first member again");
}

WATCH_CASE(Resumable, RollingRestart,
           {.requirement = "a watch resumes after the last event (etcd API, watch guarantees, "
                           "resumable), at any member of a cluster",
            .explain = "The members of a cluster are restarted one after the other, the leader "
                       "first, while a watch resumes on the next member that is running. With "
                       "--fault restart:release=VERSION this is a rolling upgrade.",
            .needs = {Capability::kCluster},
            .guarantees = {"Resumable", "Reliable"}}) {
  const std::string key = scenario.Key("rolling");
  scenario.Cluster({.members = kMembers});
  std::string group = "at 1";
  scenario.Open({.group = group, .count = 5, .range = OneKey(key)});
  for (int member = 1; member <= kMembers; ++member) {
    for (int i = 0; i < 10; ++i) scenario.Put(key);
    const std::string fault = "restart/" + std::to_string(member);
    const int next = member % kMembers + 1;
    scenario.Inject(fault, {{"member", std::to_string(member)}});
    scenario.AwaitEffect(fault);
    AwaitAll(scenario);
    scenario.Add(UseMemberStep{next});
    scenario.Put(key);
    const std::string resumed = "at " + std::to_string(next) + " again";
    scenario.Resume(group, resumed, next);
    scenario.AwaitDelivered(resumed);
    group = resumed;
  }
}

}  // namespace
}  // namespace watchproof
