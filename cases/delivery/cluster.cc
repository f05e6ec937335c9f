// SPDX-License-Identifier: Apache-2.0
// Every member of a cluster delivers the same events.
#include "cases/support/watch_case.h"
#include "harness/scenario/steps/member.h"

namespace watchproof {
namespace {

constexpr int kMembers = 3;
constexpr const char* kPromise =
    "events are ordered, unique, atomic and never dropped (etcd API, watch guarantees), at every "
    "member of a cluster";

std::string NameOf(int member) { return "m" + std::to_string(member); }

// In a cluster of so many members each has one group, on a stream of its own.
void OpenOnEveryMember(Scenario& scenario, int members, WatchStep watch) {
  scenario.Cluster({.members = members});
  for (watch.member = 1; watch.member <= members; ++watch.member) {
    watch.group = watch.stream = NameOf(watch.member);
    scenario.Open(watch);
  }
}

void AwaitDeliveredOnEveryMember(Scenario& scenario, int members) {
  for (int member = 1; member <= members; ++member) scenario.AwaitDelivered(NameOf(member));
}

// A member serves watches from what it has applied itself. Watches on different members must
// receive the same events, whichever member the writes were sent to.
WATCH_CASE(Reliable, WatchOnEveryMember,
           {.requirement = kPromise,
            .explain = "Three members; clients read and write on all of them concurrently while "
                       "watches on each member follow the same keys. No fault is injected. Every "
                       "watch must receive every event once and in order, and reads must agree "
                       "with the events.",
            .needs = {Capability::kCluster},
            .guarantees = {"Reliable", "Ordered", "Unique"}}) {
  const std::string stem = scenario.Key("shared");
  OpenOnEveryMember(scenario, kMembers,
                    {.count = 5, .range = Below(stem), .options = {.prev_kv = true}});
  scenario.BeginLoad({.clients = 6, .calls = 150, .key = stem, .member = 0});
  for (int i = 0; i < 20; ++i) {
    scenario.Add(UseMemberStep{i % kMembers + 1});
    scenario.Put(stem + "/here", {50, 500});
  }
  scenario.AwaitLoad();
  AwaitDeliveredOnEveryMember(scenario, kMembers);
}

// A transaction is applied by every member or by none. A transaction that reads a compacted
// revision is refused by the member that receives it; the other members get it from the log and
// must come to the same result.
WATCH_CASE(Reliable, RefusedTransaction,
           {.requirement = "a transaction is atomic, and a request that is answered with an error "
                           "has changed nothing (etcd API, KV API guarantees)",
            .explain = "The store of a cluster is compacted; then one transaction puts a key and "
                       "reads another one at a revision below the floor. It is refused, so no "
                       "watch on any member may receive the put (etcd #18667: the other members "
                       "skip the read and keep the put).",
            .needs = {Capability::kCluster, Capability::kCompaction},
            .guarantees = {"Reliable", "Unique"},
            .upstream = {18667}}) {
  const std::string stem = scenario.Key("agreed");
  const Write first = scenario.Put(stem + "/read");
  scenario.PutSome(stem + "/read", {3, 9});
  OpenOnEveryMember(scenario, kMembers, {.range = Below(stem)});
  scenario.Compact(AtHead(-1));
  scenario.Add(RefusedTxnStep{{PutStep{stem + "/phantom", scenario.Value()},
                               ReadStep{.key = stem + "/read", .at = first}}});
  scenario.PutSome(stem + "/after", {1, 5});
  AwaitDeliveredOnEveryMember(scenario, kMembers);
}

// The members of a cluster are partitioned in several ways while clients write and watch on all of
// them. A member that is cut off delivers nothing for a while. After the partition has healed, the
// watches on all members must have received the same events.
//
// The last member accepts writes during every fault used here.
void WatchDuring(Scenario& scenario, int members, const std::string& fault,
                 const std::map<std::string, std::string>& parameters) {
  const std::string stem = scenario.Key("shared");
  OpenOnEveryMember(scenario, members, {.count = 3, .range = Below(stem)});
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
  AwaitDeliveredOnEveryMember(scenario, members);
}

WATCH_CASE(Reliable, IsolatedLeader,
           {.requirement = kPromise,
            .explain = "A cluster of three is split so that the leader is alone. The other "
                       "members elect a new leader and are written to; then the split is healed.",
            .needs = {Capability::kCluster, Capability::kProxy},
            .guarantees = {"Reliable", "Ordered", "Unique"}}) {
  WatchDuring(scenario, 3, "split", {{"leader", "minority"}});
}

WATCH_CASE(Reliable, OneWayPartition,
           {.requirement = kPromise,
            .explain = "In a cluster of three, messages from the leader to one follower are "
                       "dropped, while messages in the other direction pass. Then the cut is "
                       "healed.",
            .needs = {Capability::kCluster, Capability::kProxy},
            .guarantees = {"Reliable", "Ordered", "Unique"}}) {
  WatchDuring(scenario, 3, "one-way-cut", {{"from", "1"}, {"to", "2"}});
}

WATCH_CASE(Reliable, RingPartition,
           {.requirement = kPromise,
            .explain = "In a cluster of five, each member reaches only its two neighbours in a "
                       "ring. Then the cuts are healed.",
            .needs = {Capability::kCluster, Capability::kProxy},
            .guarantees = {"Reliable", "Ordered", "Unique"}}) {
  WatchDuring(scenario, 5, "ring", {});
}

WATCH_CASE(Reliable, SlowMember,
           {.requirement = kPromise,
            .explain = "One follower of a cluster of three receives and sends every message 150 "
                       "ms late.",
            .needs = {Capability::kCluster, Capability::kProxy},
            .guarantees = {"Reliable", "Ordered", "Unique"}}) {
  WatchDuring(scenario, 3, "slow-peer", {{"member", "2"}});
}

WATCH_CASE(Reliable, LeadershipTransfer,
           {.requirement = kPromise,
            .explain = "The leader of a cluster of three hands over to another member under load.",
            .needs = {Capability::kCluster},
            .guarantees = {"Reliable", "Ordered", "Unique"}}) {
  WatchDuring(scenario, 3, "move-leader", {{"to", "2"}});
}

}  // namespace
}  // namespace watchproof
