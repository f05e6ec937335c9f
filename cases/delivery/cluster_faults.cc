// SPDX-License-Identifier: Apache-2.0
// The members of a cluster are partitioned in several ways while clients write and watch on all of
// them. A member that is cut off delivers nothing for a while. After the partition has healed, the
// watches on all members must have received the same events.
#include "cases/support/watch_case.h"
#include "harness/scenario/steps/member.h"

namespace watchproof {
namespace {

constexpr std::string_view kPromise =
    "events are ordered, unique, atomic and never dropped (etcd API, watch guarantees), at every "
    "member of a cluster";

std::string NameOf(int member) { return "m" + std::to_string(member); }

// The last member accepts writes during every fault used here.
void WatchDuring(Scenario& scenario, int members, const std::string& fault,
                 const std::map<std::string, std::string>& parameters) {
  const std::string stem = scenario.Key("shared");
  scenario.Cluster({.members = members});
  for (int member = 1; member <= members; ++member) {
    scenario.Watch({.group = NameOf(member),
                    .count = 3,
                    .range = Prefix(stem + "/"),
                    .stream = NameOf(member),
                    .member = member});
    scenario.AwaitCreated(NameOf(member));
  }
  for (int i = 0; i < 10; ++i) scenario.Put(stem + "/0");
  scenario.BeginLoad(
      {.load = "meanwhile", .clients = 4, .calls = 100, .key = stem, .member = members});
  scenario.Inject(fault, parameters);
  scenario.AwaitEffect(fault);
  scenario.AwaitLoad("meanwhile");
  scenario.Heal(fault);
  for (int member = 1; member <= members; ++member) scenario.Add(AwaitCaughtUpStep{member});
  scenario.BeginLoad({.load = "after", .clients = 5, .calls = 30, .key = stem, .member = 0});
  scenario.AwaitLoad("after");
  for (int member = 1; member <= members; ++member) scenario.Add(AwaitCaughtUpStep{member});
  scenario.Put(stem + "/0");
  for (int member = 1; member <= members; ++member) scenario.AwaitDelivered(NameOf(member));
}

WATCH_CASE(Reliable, IsolatedLeader,
           {.requirement = std::string(kPromise),
            .explain = "A cluster of three is split so that the leader is alone. The other "
                       "members elect a new leader and are written to; then the split is healed.",
            .level = Level::kMust,
            .needs = {Capability::kCluster, Capability::kProxy},
            .guarantees = {"Reliable", "Ordered", "Unique"}}) {
  WatchDuring(scenario, 3, "split", {{"leader", "minority"}});
}

WATCH_CASE(Reliable, OneWayPartition,
           {.requirement = std::string(kPromise),
            .explain = "In a cluster of three, messages from the leader to one follower are "
                       "dropped, while messages in the other direction pass. Then the cut is "
                       "healed.",
            .level = Level::kMust,
            .needs = {Capability::kCluster, Capability::kProxy},
            .guarantees = {"Reliable", "Ordered", "Unique"}}) {
  WatchDuring(scenario, 3, "one-way-cut", {{"from", "1"}, {"to", "2"}});
}

WATCH_CASE(Reliable, RingPartition,
           {.requirement = std::string(kPromise),
            .explain = "In a cluster of five, each member reaches only its two neighbours in a "
                       "ring. Then the cuts are healed.",
            .level = Level::kMust,
            .needs = {Capability::kCluster, Capability::kProxy},
            .guarantees = {"Reliable", "Ordered", "Unique"}}) {
  WatchDuring(scenario, 5, "ring", {});
}

WATCH_CASE(Reliable, SlowMember,
           {.requirement = std::string(kPromise),
            .explain = "One follower of a cluster of three receives and sends every message 150 "
                       "ms late.",
            .level = Level::kMust,
            .needs = {Capability::kCluster, Capability::kProxy},
            .guarantees = {"Reliable", "Ordered", "Unique"}}) {
  WatchDuring(scenario, 3, "slow-peer", {{"member", "2"}});
}

WATCH_CASE(Reliable, LeadershipTransfer,
           {.requirement = std::string(kPromise),
            .explain = "The leader of a cluster of three hands over to another member under load.",
            .level = Level::kMust,
            .needs = {Capability::kCluster},
            .guarantees = {"Reliable", "Ordered", "Unique"}}) {
  WatchDuring(scenario, 3, "move-leader", {{"to", "2"}});
}

}  // namespace
}  // namespace watchproof
