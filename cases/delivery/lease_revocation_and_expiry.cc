// SPDX-License-Identifier: Apache-2.0
// A lease often stands for a client that is alive. When it ends, all its keys are deleted at one
// revision, so that a watch never sees the lease half ended.
#include "cases/support/watch_case.h"
#include "harness/scenario/steps/lease.h"

namespace watchproof {
namespace {

constexpr std::chrono::seconds kLong{600};
constexpr std::chrono::seconds kShort{1};  // etcd makes at least two of it

// Puts keys on a lease that will end, on another lease and on none, under live watches. `end` ends
// the lease; then watches from history are opened.
template <typename End>
void EndALease(Scenario& scenario, std::chrono::seconds ttl, End end) {
  Prng prng = scenario.Random("shape");
  const std::string stem = scenario.Key("leased");
  const auto key = [&] { return scenario.Key(stem); };
  scenario.Watch({.group = "live", .count = 3, .range = Prefix(stem + "/")});
  scenario.AwaitCreated("live");
  scenario.Add(LeaseStep{"ours", ttl});
  scenario.Add(LeaseStep{"other", kLong});
  const Write first = scenario.Put(key());
  for (std::int64_t i = prng.Between(4, 8); i > 0; --i) {
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
  for (std::int64_t i = prng.Between(2, 5); i > 0; --i) scenario.Put(key());
  scenario.Watch(
      {.group = "late", .count = 3, .range = Prefix(stem + "/"), .start = first.revision()});
  for (const char* group : {"live", "late"}) scenario.AwaitDelivered(group);
}

WATCH_CASE(Atomic, LeaseRevocation,
           {.requirement = "revoking a lease deletes all keys attached to it (etcd API, "
                           "LeaseRevoke), and a list of events encompasses complete revisions",
            .explain = "Keys are put on a lease, on another lease and on none; two keys are "
                       "detached from the lease again. Then the lease is revoked. Live watches "
                       "and watches from history must receive the deletions of all its keys in "
                       "one response, at one revision, and no other deletion.",
            .level = Level::kMust,
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
            .level = Level::kMust,
            .needs = {Capability::kLeases},
            .guarantees = {"Atomic", "Reliable"}}) {
  EndALease(scenario, kShort, [&scenario] { scenario.Add(AwaitExpiredStep{"ours"}); });
}

}  // namespace
}  // namespace watchproof
