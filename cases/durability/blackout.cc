// SPDX-License-Identifier: Apache-2.0
// The power of every member of a cluster fails at once.
#include "cases/support/drawn_crash.h"
#include "harness/scenario/steps/member.h"

namespace watchproof {
namespace {

WATCH_CASE(Durable, Blackout,
           {.requirement = "any completed operations are durable (etcd KV API guarantees, "
                           "durability): a majority has what was acknowledged on its disk",
            .explain = "Twice the power of all three members fails at once while clients write, "
                       "some of them on leases. Each loses what it had not synced. They are "
                       "started together, and must hold and deliver everything that was "
                       "acknowledged.",
            .needs = {Capability::kCluster, Capability::kDurable, Capability::kDisk,
                      Capability::kLeases},
            .guarantees = {"Durable", "Reliable", "Linearizable", "Fields", "Settled"}}) {
  const std::string stem = scenario.Key("blackout");
  scenario.Cluster({.members = 3, .snapshot_count = 100});
  Write first = scenario.Put(stem + "/first");
  for (const std::string round : {"1", "2"}) {
    const std::string blackout = round == "1" ? "blackout" : "blackout/" + round;
    scenario.Open({.group = round, .range = Below(stem), .start = first, .stream = round});
    scenario.BeginLoad({.load = round,
                        .clients = 6,
                        .calls = 100'000,
                        .keys = 20,
                        .key = stem,
                        .direct = true,
                        .leases = scenario.Chance(0.5),
                        .pause = 10ms,
                        .member = 0});
    scenario.Hold(300ms, 1500ms);
    scenario.Disturb(blackout, DrawnLoss(scenario));
    scenario.Add(StopLoadStep{round});
    for (int member = 1; member <= 3; ++member) scenario.Add(AwaitCaughtUpStep{member});
    scenario.Resume(round, "again " + round, static_cast<int>(scenario.Between(1, 3)));
    first = scenario.Put(stem + "/after");
    scenario.AwaitDelivered("again " + round);
  }
}

}  // namespace
}  // namespace watchproof
