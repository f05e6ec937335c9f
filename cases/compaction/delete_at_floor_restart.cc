// SPDX-License-Identifier: Apache-2.0
// What compaction keeps must also survive a restart. A deletion at the floor has no put before it
// any more, and a server that rebuilds its index from disk may overlook it.
#include "cases/support/watch_case.h"

namespace watchproof {
namespace {

WATCH_CASE(CompactionSurfaced, DeleteAtFloorRestart,
           {.requirement =
                "events at or above the compaction revision remain available (etcd API, Compact)",
            .explain = "A key is put and deleted, the store is compacted at the deletion, killed "
                       "and restarted, and the key is watched from there. The watch must receive "
                       "the deletion or ErrCompacted (etcd #19179; servers with #18089 lose the "
                       "deletion before the restart).",
            .level = Level::kMust,
            .needs = {Capability::kDurable, Capability::kCompaction},
            .guarantees = {"Reliable", "CompactionSurfaced"},
            .upstream = {19179, 18089}}) {
  const std::string ghost = scenario.Key("ghost");
  Prng prng = scenario.Random("shape");
  for (std::int64_t i = prng.Between(1, 4); i > 0; --i) scenario.Put(scenario.Key("other"));
  for (std::int64_t i = prng.Between(1, 3); i > 0; --i) scenario.Put(ghost);
  const Write gone = scenario.Delete(ghost);
  for (std::int64_t i = prng.Between(1, 4); i > 0; --i) scenario.Put(scenario.Key("other"));
  scenario.Compact(gone.revision());
  scenario.KillAndRestart();
  scenario.PermitCompactedAtTheFloor();
  scenario.Watch({.group = "late", .range = OneKey(ghost), .start = gone.revision()});
  scenario.AwaitCreated("late");
}

}  // namespace
}  // namespace watchproof
