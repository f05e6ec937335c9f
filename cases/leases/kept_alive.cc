// SPDX-License-Identifier: Apache-2.0
// A lease that a client keeps alive.
#include "cases/support/watch_case.h"
#include "harness/scenario/steps/lease.h"

namespace watchproof {
namespace {

WATCH_CASE(Leased, KeptAlive,
           {.requirement = "a keep-alive renews the lease for the time it was granted for (etcd "
                           "API, LeaseKeepAlive, LeaseKeepAliveResponse.TTL)",
            .explain = "Two leases have the same short time, and keys. When most of it is over, "
                       "one is kept alive. It must then have its whole time again, outlast the "
                       "other one, and end by itself.",
            .needs = {Capability::kLeases},
            .guarantees = {"Leased", "Reliable"}}) {
  const std::string stem = scenario.Key("kept");
  scenario.Open({.group = "all", .range = Below(stem)});
  for (const char* lease : {"kept", "left"}) {
    scenario.Add(LeaseStep{lease, 5s});
    scenario.PutOnLease(scenario.Key(stem), lease);
    scenario.PutOnLease(scenario.Key(stem), lease);
  }
  scenario.Add(ListLeasesStep{});
  scenario.Add(KeepAliveStep{"kept", 2s});
  scenario.Add(ListLeasesStep{});
  scenario.Add(AwaitExpiredStep{"left"});
  scenario.Add(ListLeasesStep{});
  scenario.Add(AwaitExpiredStep{"kept"});
  scenario.AwaitDelivered("all");
}

WATCH_CASE(Leased, KeepAliveOfEnded,
           {.requirement = "a keep-alive of a lease that has ended is answered with no time left "
                           "(etcd API, LeaseKeepAliveResponse.TTL)",
            .explain = "A lease is kept alive, revoked, and kept alive once more, which must not "
                       "bring it or its keys back. Another one is kept alive before and after.",
            .needs = {Capability::kLeases},
            .guarantees = {"Leased", "Reliable"}}) {
  const std::string stem = scenario.Key("ended");
  scenario.Open({.group = "all", .range = Below(stem)});
  for (const char* lease : {"ended", "stays"}) {
    scenario.Add(LeaseStep{lease, 60s});
    scenario.PutOnLease(scenario.Key(stem), lease);
  }
  scenario.Add(ListLeasesStep{});
  for (const char* lease : {"stays", "ended"}) scenario.Add(KeepAliveStep{lease});
  scenario.Add(RevokeStep{"ended"});
  scenario.Add(ListLeasesStep{});
  for (const char* lease : {"ended", "stays"}) scenario.Add(KeepAliveStep{lease});
  scenario.Put(scenario.Key(stem));
  scenario.Add(ListLeasesStep{});
  scenario.AwaitDelivered("all");
}

}  // namespace
}  // namespace watchproof
