// SPDX-License-Identifier: Apache-2.0
// A lease that is renewed at the next leader outlasts what the former one believes of it.
#include "cases/support/watch_case.h"
#include "harness/scenario/steps/member.h"

namespace watchproof {
namespace {

WATCH_CASE(Leased, RenewedAtSuccessor,
           {.requirement = "a lease lasts as long as it is kept alive (etcd, lease API)",
            .explain = "Clients keep leases alive while the leader of a cluster is stopped for "
                       "longer than the leases last and the election takes, and goes on: four "
                       "times. What was renewed at its successor must last (etcd #15247, and what "
                       "its mend has left: it takes the leases for overdue, and has them revoked).",
            .needs = {Capability::kCluster, Capability::kLeases, Capability::kProcess},
            .guarantees = {"Leased"},
            .upstream = {15247}}) {
  scenario.Cluster({.members = 3});
  scenario.BeginLoad({.clients = 12,
                      .calls = 100'000,
                      .keys = 30,
                      .key = scenario.Key("leased"),
                      .direct = true,
                      .leases = true,
                      .pause = 20ms,
                      .member = 0});
  scenario.Hold(500ms, 1s);
  for (const std::string round : {"1", "2", "3", "4"}) {
    const std::string pause = "pause/" + round;
    const std::string back = "move-leader/" + round;
    scenario.Inject(pause, {{"member", "1"}});
    scenario.Hold(4s, 5500ms);
    scenario.AwaitEffectAndHeal(pause);
    scenario.Hold(500ms, 1s);
    scenario.Add(AwaitCaughtUpStep{1});
    scenario.Add(InjectStep{back, {{"to", "1"}}, /*optional=*/true});
    scenario.AwaitEffectAndHeal(back);
  }
  scenario.Add(StopLoadStep{});
}

}  // namespace
}  // namespace watchproof
