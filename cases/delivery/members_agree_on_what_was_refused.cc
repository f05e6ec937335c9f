// SPDX-License-Identifier: Apache-2.0
// A transaction is done at every member or at none. One that reads a revision that compaction has
// taken is refused by the member that is asked; the others get it from the log and must come to the
// same end.
#include "cases/support/watch_case.h"

namespace watchproof {
namespace {

WATCH_CASE(Reliable, MembersAgreeOnWhatWasRefused,
           {.requirement = "a transaction is atomic, and a request that is answered with an error "
                           "has changed nothing (etcd API, KV API guarantees)",
            .explain = "The store of a cluster is compacted; then one transaction puts a key and "
                       "reads another at a revision below the floor. It is refused, so no watch at "
                       "any member may be given the put (etcd #18667: members that were not asked "
                       "leave the read out and keep the put).",
            .level = Level::kMust,
            .needs = {Capability::kCluster, Capability::kCompaction},
            .guarantees = {"Reliable", "Unique"},
            .upstream = {18667}}) {
  Prng prng = scenario.Random("shape");
  const std::string stem = scenario.Key("agreed");
  scenario.Cluster({.members = 3});
  const Write first = scenario.Put(stem + "/read");
  for (std::int64_t i = prng.Between(3, 9); i > 0; --i) scenario.Put(stem + "/read");
  for (int member = 1; member <= 3; ++member) {
    const std::string name = "m" + std::to_string(member);
    scenario.Watch({.group = name, .range = Prefix(stem + "/"), .stream = name, .member = member});
    scenario.AwaitCreated(name);
  }
  scenario.Compact(AtHead(-1));
  scenario.PutBesideAReadOf(stem + "/read", first.revision(), stem + "/phantom");
  for (std::int64_t i = prng.Between(1, 5); i > 0; --i) scenario.Put(stem + "/after");
  for (int member = 1; member <= 3; ++member) {
    scenario.AwaitDelivered("m" + std::to_string(member));
  }
}

}  // namespace
}  // namespace watchproof
