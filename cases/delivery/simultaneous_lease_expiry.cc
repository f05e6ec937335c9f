// SPDX-License-Identifier: Apache-2.0
// Many leases expire within a moment, each with its attached keys, while clients write. Every key
// is deleted once, together with the other keys of its lease.
#include "cases/support/watch_case.h"
#include "harness/scenario/steps/lease.h"

namespace watchproof {
namespace {

constexpr auto kShortest = 2s;  // the least that etcd grants with its default election timeout

WATCH_CASE(Atomic, SimultaneousLeaseExpiry,
           {.requirement = "the end of a lease deletes the attached keys (etcd API, leases), and "
                           "a revision is never split (watch guarantees, atomic)",
            .explain = "Dozens of leases of two seconds with some keys each expire while other "
                       "keys are written. Watches must receive every deletion once, those of one "
                       "lease together.",
            .level = Level::kMust,
            .needs = {Capability::kLeases},
            .guarantees = {"Atomic", "Reliable", "Unique"}}) {
  Prng prng = scenario.Random("shape");
  const std::string stem = scenario.Key("storm");
  scenario.Watch({.group = "all", .count = 5, .range = Prefix(stem + "/")});
  scenario.AwaitCreated("all");
  std::vector<std::string> leases;
  for (std::int64_t i = prng.Between(25, 40); i > 0; --i) {
    leases.push_back(fmt::format("lease {}", i));
    scenario.Add(LeaseStep{leases.back(), kShortest});
    for (std::int64_t keys = prng.Between(1, 4); keys > 0; --keys) {
      scenario.PutOnLease(scenario.Key(stem), leases.back());
    }
  }
  const std::string key = scenario.Key(stem);
  for (std::int64_t i = prng.Between(20, 60); i > 0; --i) scenario.Put(key);
  prng.Shuffle(leases);
  for (const std::string& lease : leases) {
    scenario.Add(AwaitExpiredStep{lease});
    scenario.Put(key);
  }
  scenario.AwaitDelivered("all");
}

}  // namespace
}  // namespace watchproof
