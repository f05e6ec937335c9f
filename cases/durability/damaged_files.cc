// SPDX-License-Identifier: Apache-2.0
// A file of one member of a cluster is damaged while the member is down. It must refuse to start,
// or serve what the others serve: their disks are whole.
#include "cases/support/watch_case.h"
#include "harness/scenario/steps/member.h"

namespace watchproof {
namespace {

constexpr int kDamaged = 2;  // the member

LoadStep ReadersAndWriters(const std::string& name, const std::string& key, int member) {
  return {.load = name,
          .clients = 4,
          .calls = 60,
          .keys = 20,
          .key = key,
          .direct = true,
          .member = member};
}

// Members compare their data with the others' as they start, and do not serve if these differ.
// Before 3.6 etcd knows the others by then only if it has made a snapshot.
const ClusterPlan kCompared{.members = 3, .snapshot_count = 100, .compare_at_start = true};

// What was written before, during and after is read and watched on the member.
void DamageMember(Scenario& scenario, const std::string& files, const std::string& how) {
  const std::string stem = scenario.Key("damaged");
  const Write first = scenario.Put(stem + "/first");
  scenario.Open({.group = "on another", .range = Below(stem), .stream = "on another", .member = 3});
  scenario.PutSome(stem + "/many", {40, 80}, {16, 2048});
  scenario.BeginLoad(ReadersAndWriters("before", stem, 1));
  scenario.AwaitLoad("before");
  scenario.Add(AwaitCaughtUpStep{kDamaged});
  // The database is written every 100 ms.
  if (scenario.Chance(0.7)) scenario.Hold(110ms, 250ms);
  scenario.Inject("damaged-file", {{"member", std::to_string(kDamaged)},
                                   {"files", files},
                                   {"how", how},
                                   {"draw", std::to_string(scenario.Between(1, 1'000'000))}});
  scenario.Add(AwaitCaughtUpStep{kDamaged});
  scenario.Open({.group = "on it",
                 .count = 2,
                 .range = Below(stem),
                 .start = first,
                 .stream = "on it",
                 .member = kDamaged});
  scenario.BeginLoad(ReadersAndWriters("on it", stem, kDamaged));
  scenario.AwaitLoad("on it");
  scenario.AwaitDelivered("on it");
  scenario.AwaitEffectAndHeal("damaged-file");
  scenario.BeginLoad(ReadersAndWriters("after", stem, kDamaged));
  scenario.AwaitLoad("after");
  scenario.Open({.group = "after",
                 .range = Below(stem),
                 .start = first,
                 .stream = "after",
                 .member = kDamaged});
  scenario.Put(stem + "/after");
  scenario.AwaitDelivered("after", "on it", "on another");
}

WATCH_CASE(Durable, DamagedLog,
           {.requirement = "any completed operations are durable (etcd KV API guarantees, "
                           "durability), on each member",
            .explain = "A member is killed, bits of its log are flipped, its tail is cut off, or a "
                       "part of it is zero, and it is started again. It must refuse to start, or "
                       "hold and deliver what the others do.",
            .needs = {Capability::kCluster, Capability::kDurable},
            .guarantees = {"Durable", "Reliable", "Linearizable", "Fields", "Settled"}}) {
  scenario.Cluster({.members = 3});
  DamageMember(scenario, "log", scenario.Pick<std::string>({"bits", "tail", "tail", "zero"}));
}

WATCH_CASE(Durable, DamagedSnapshot,
           {.requirement = "any completed operations are durable (etcd KV API guarantees, "
                           "durability), on each member",
            .explain = "A member is killed, bits of its latest snapshot are flipped, its tail is "
                       "cut off, or a part of it is zero, and it is started again. It must begin "
                       "with an earlier one, or refuse to start; what it serves is what the others "
                       "do.",
            .needs = {Capability::kCluster, Capability::kDurable},
            .guarantees = {"Durable", "Reliable", "Linearizable", "Fields", "Settled"}}) {
  scenario.Cluster({.members = 3, .snapshot_count = kCompared.snapshot_count});
  DamageMember(scenario, "snapshot", scenario.Pick<std::string>({"bits", "tail", "zero"}));
}

WATCH_CASE(Durable, DamagedDatabase,
           {.requirement = "with the initial corruption check a member does not serve if its data "
                           "differ from the others' (etcd, data corruption)",
            .explain = "A member is killed, bits of its database are flipped, its tail is cut off, "
                       "or a part of it is zero, and it is started again, with the check of its "
                       "data against the others' where it has one. It must refuse to start, or "
                       "hold and deliver what the others do.",
            .needs = {Capability::kCluster, Capability::kDurable},
            .guarantees = {"Durable", "Reliable", "Linearizable", "Fields", "Settled"}}) {
  scenario.Cluster(kCompared);
  DamageMember(scenario, "database", scenario.Pick<std::string>({"bits", "bits", "tail", "zero"}));
}

}  // namespace
}  // namespace watchproof
