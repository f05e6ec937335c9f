// SPDX-License-Identifier: Apache-2.0
// The end of a lease deletes its keys.
#include "cases/support/watch_case.h"
#include "harness/scenario/steps/lease.h"

namespace watchproof {
namespace {

// A lease often stands for a client that is alive. When it ends, all its keys are deleted at one
// revision, so that a watch never sees the lease half ended.
constexpr std::chrono::seconds kLong{600};
constexpr std::chrono::seconds kShort{1};  // etcd makes at least two of it

// Puts keys on a lease that will end, on another lease and on none, under live watches. `end` ends
// the lease; then watches from history are opened.
template <typename End>
void EndALease(Scenario& scenario, std::chrono::seconds ttl, End end) {
  const std::string stem = scenario.Key("leased");
  const auto key = [&] { return scenario.Key(stem); };
  scenario.Open({.group = "live", .count = 3, .range = Below(stem)});
  scenario.Add(LeaseStep{"ours", ttl});
  scenario.Add(LeaseStep{"other", kLong});
  const Write first = scenario.Put(key());
  for (std::int64_t i = scenario.Between(4, 8); i > 0; --i) {
    scenario.PutOnLease(key(), "ours");
    scenario.PutOnLease(key(), "other");
  }
  // These two keys are detached from the lease before it ends, so they stay.
  const std::string moved = key();
  const std::string freed = key();
  for (const std::string& detached : {moved, freed}) scenario.PutOnLease(detached, "ours");
  scenario.PutOnLease(moved, "other");
  scenario.Put(freed);
  end();
  for (std::int64_t i = scenario.Between(2, 5); i > 0; --i) scenario.Put(key());
  scenario.Watch({.group = "late", .count = 3, .range = Below(stem), .start = first});
  scenario.AwaitDelivered("live", "late");
}

WATCH_CASE(Atomic, LeaseRevocation,
           {.requirement = "revoking a lease deletes all keys attached to it (etcd API, "
                           "LeaseRevoke), and a list of events encompasses complete revisions",
            .explain = "Keys are put on a lease, on another lease and on none; two keys are "
                       "detached from the lease again. Then the lease is revoked. Live watches "
                       "and watches from history must receive the deletions of all its keys in "
                       "one response, at one revision, and no other deletion.",
            .needs = {Capability::kLeases},
            .guarantees = {"Atomic", "Reliable"}}) {
  EndALease(scenario, kLong, [&scenario] { scenario.Add(RevokeStep{"ours"}); });
}

WATCH_CASE(Atomic, LeaseExpiry,
           {.requirement = "the expiry of a lease deletes all keys attached to it (etcd API, "
                           "LeaseGrant), and a list of events encompasses complete revisions",
            .explain = "Keys are put on a lease with the shortest time to live, on another lease "
                       "and on none; two keys are detached from the lease again. The lease is not "
                       "kept alive and expires. Live watches and watches from history must "
                       "receive the deletions of all its keys in one response, at one revision, "
                       "and no other deletion.",
            .needs = {Capability::kLeases},
            .guarantees = {"Atomic", "Reliable"}}) {
  EndALease(scenario, kShort, [&scenario] { scenario.Add(AwaitExpiredStep{"ours"}); });
}

constexpr auto kShortest = 2s;  // the least that etcd grants with its default election timeout

WATCH_CASE(Atomic, SimultaneousLeaseExpiry,
           {.requirement = "the end of a lease deletes the attached keys (etcd API, leases), and "
                           "a revision is never split (watch guarantees, atomic)",
            .explain = "Dozens of leases of two seconds with some keys each expire while other "
                       "keys are written. Watches must receive every deletion once, those of one "
                       "lease together.",
            .needs = {Capability::kLeases},
            .guarantees = {"Atomic", "Reliable", "Unique"}}) {
  const std::string stem = scenario.Key("storm");
  scenario.Open({.group = "all", .count = 5, .range = Below(stem)});
  std::vector<std::string> leases;
  for (std::int64_t i = scenario.Between(25, 40); i > 0; --i) {
    leases.push_back(fmt::format("lease {}", i));
    scenario.Add(LeaseStep{leases.back(), kShortest});
    for (std::int64_t keys = scenario.Between(1, 4); keys > 0; --keys) {
      scenario.PutOnLease(scenario.Key(stem), leases.back());
    }
  }
  const std::string key = scenario.Key(stem);
  scenario.PutSome(key, {20, 60});
  scenario.Shuffle(leases);
  for (const std::string& lease : leases) {
    scenario.Add(AwaitExpiredStep{lease});
    scenario.Put(key);
  }
  scenario.AwaitDelivered("all");
}

}  // namespace
}  // namespace watchproof
