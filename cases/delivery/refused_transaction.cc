// SPDX-License-Identifier: Apache-2.0
// A transaction is applied by every member or by none. A transaction that reads a compacted
// revision is refused by the member that receives it; the other members get it from the log and
// must come to the same result.
#include "cases/support/watch_case.h"

namespace watchproof {
namespace {

WATCH_CASE(Reliable, RefusedTransaction,
           {.requirement = "a transaction is atomic, and a request that is answered with an error "
                           "has changed nothing (etcd API, KV API guarantees)",
            .explain = "The store of a cluster is compacted; then one transaction puts a key and "
                       "reads another one at a revision below the floor. It is refused, so no "
                       "watch on any member may receive the put (etcd #18667: the other members "
                       "skip the read and keep the put).",
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
  scenario.Add(RefusedTxnStep{{PutStep{stem + "/phantom", scenario.Value()},
                               ReadStep{.key = stem + "/read", .at = first.revision()}}});
  for (std::int64_t i = prng.Between(1, 5); i > 0; --i) scenario.Put(stem + "/after");
  for (int member = 1; member <= 3; ++member) {
    scenario.AwaitDelivered("m" + std::to_string(member));
  }
}

}  // namespace
}  // namespace watchproof
