// SPDX-License-Identifier: Apache-2.0
// The compaction floor is an exact boundary: a watch that starts below it must end with
// ErrCompacted, and a watch that starts at it or above it must receive every event.
#include "cases/support/watch_case.h"

namespace watchproof {
namespace {

WATCH_CASE(CompactionSurfaced, StartAroundFloor,
           {.requirement = "watching from a compacted revision ends with ErrCompacted, any other "
                           "does not (etcd API, WatchCreateRequest)",
            .explain = "A key is written a few times, the store is compacted in the middle, and "
                       "watches start one revision below the floor, at it, and one above it. Only "
                       "watches below the floor may end, and they must.",
            .level = Level::kMust,
            .needs = {Capability::kCompaction},
            .guarantees = {"CompactionSurfaced", "Reliable"}}) {
  const std::string key = scenario.Key("edge");
  Prng prng = scenario.Random("shape");
  std::vector<Write> writes;
  for (std::int64_t i = prng.Between(6, 20); i > 0; --i) writes.push_back(scenario.Put(key));
  const auto middle =
      static_cast<std::size_t>(prng.Between(2, static_cast<std::int64_t>(writes.size()) - 3));

  scenario.Compact(writes[middle].revision());
  scenario.Watch({.group = "below", .range = OneKey(key), .start = writes[middle - 1].revision()});
  scenario.Watch({.group = "far below", .range = OneKey(key), .start = writes[0].revision()});
  scenario.Watch({.group = "at", .range = OneKey(key), .start = writes[middle].revision()});
  scenario.Watch({.group = "above", .range = OneKey(key), .start = writes[middle + 1].revision()});
  for (const char* group : {"below", "far below", "at", "above"}) scenario.AwaitCreated(group);
  scenario.AwaitDelivered("at");
  scenario.AwaitDelivered("above");
}

}  // namespace
}  // namespace watchproof
