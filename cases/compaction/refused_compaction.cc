// SPDX-License-Identifier: Apache-2.0
// Compaction moves the floor up, never down, and never beyond the head. A compaction below the
// floor or above the head is refused, and a refused compaction must not affect any watch.
#include "cases/support/watch_case.h"

namespace watchproof {
namespace {

WATCH_CASE(CompactionSurfaced, RefusedCompaction,
           {.requirement = "compaction at a revision that was compacted, or that does not exist "
                           "yet, is out of range (etcd API, KV service)",
            .explain = "The store is compacted some revisions below its head, then at the same "
                       "revision again, below it, in the future, and twice at its head, while "
                       "watches are open. Only the first compaction and the first one at the head "
                       "may succeed. Watches from below the floor must end with ErrCompacted, all "
                       "others must receive every event.",
            .level = Level::kMust,
            .needs = {Capability::kCompaction},
            .guarantees = {"CompactionSurfaced", "Reliable"}}) {
  Prng prng = scenario.Random("shape");
  const std::string key = scenario.Key("floor");
  const Write first = scenario.Put(key);
  for (std::int64_t i = prng.Between(20, 40); i > 0; --i) scenario.Put(key);
  scenario.Watch({.group = "before", .count = 5, .range = OneKey(key)});
  scenario.AwaitCreated("before");
  const std::int64_t below = prng.Between(5, 10);
  scenario.Compact(AtHead(-below));
  scenario.Add(CompactStep{.at = AtHead(-below), .refused = true});
  scenario.Add(CompactStep{.at = AtHead(-below - 1), .refused = true});
  scenario.Add(CompactStep{.at = AtHead(prng.Between(1, 1000)), .refused = true});
  scenario.Watch(
      {.group = "compacted", .count = 3, .range = OneKey(key), .start = first.revision()});
  scenario.Watch({.group = "above", .range = OneKey(key), .start = AtHead(-below + 1)});
  scenario.AwaitCreated("above");
  scenario.Put(key);
  scenario.Compact(AtHead());
  scenario.Add(CompactStep{.at = AtHead(), .refused = true});
  scenario.Put(key);
  scenario.AwaitDelivered("before");
}

}  // namespace
}  // namespace watchproof
