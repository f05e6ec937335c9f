// SPDX-License-Identifier: Apache-2.0
// A server reads history for a watch in batches. A compaction between two batches can remove
// revisions that the next batch needed. The watch must then end with ErrCompacted and must not
// continue behind the gap.
#include "cases/support/watch_case.h"

namespace watchproof {
namespace {

// Few enough that their batches never fill the queue of their stream: that is another case.
constexpr std::size_t kWatchers = 10;

WATCH_CASE(CompactionSurfaced, CatchUpAcrossFloor,
           {.requirement = "a watch with compacted pending events ends with ErrCompacted (etcd "
                           "API guarantees)",
            .explain = "Watches start more than two thousand revisions in the past, and the store "
                       "is compacted while they catch up. Each watch must receive every event or "
                       "end with ErrCompacted. Watches that start at the floor must receive every "
                       "event from there on.",
            .level = Level::kMust,
            .needs = {Capability::kCompaction},
            .guarantees = {"CompactionSurfaced", "Reliable"},
            .upstream = {17529}}) {
  const std::string key = scenario.Key("long");
  Prng prng = scenario.Random("shape");
  const std::int64_t behind = prng.Between(2100, 2300);
  std::vector<Write> writes;
  for (std::int64_t i = 0; i < behind; ++i) writes.push_back(scenario.Put(key));
  // Both sides of the floor take more than one batch.
  const Write floor = writes[static_cast<std::size_t>(prng.Between(1050, behind - 1050))];

  scenario.Watch({.group = "from the start",
                  .count = kWatchers,
                  .range = OneKey(key),
                  .start = writes[0].revision()});
  scenario.Compact(floor.revision());
  scenario.Watch({.group = "from the floor",
                  .count = kWatchers,
                  .range = OneKey(key),
                  .start = floor.revision()});
  scenario.AwaitCreated("from the start");
  scenario.AwaitDelivered("from the floor");
}

}  // namespace
}  // namespace watchproof
