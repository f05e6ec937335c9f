// SPDX-License-Identifier: Apache-2.0
// Compaction keeps everything from its revision on. That includes a deletion at exactly that
// revision, and a watch may start there. A client that does not receive the deletion keeps the
// deleted key for ever.
#include "cases/support/watch_case.h"

namespace watchproof {
namespace {

WATCH_CASE(CompactionSurfaced, DeleteAtFloor,
           {.requirement =
                "events at or above the compaction revision remain available (etcd API, Compact)",
            .explain = "A key is put and deleted, the store is compacted at the deletion, and the "
                       "key is watched from there. The watch must receive the deletion or "
                       "ErrCompacted. Servers that remove a tombstone at the compaction revision "
                       "deliver neither (etcd #18089).",
            .level = Level::kMust,
            .needs = {Capability::kCompaction},
            .guarantees = {"Reliable", "CompactionSurfaced"},
            .upstream = {18089}}) {
  const std::string ghost = scenario.Key("ghost");
  Prng others = scenario.Random("others");
  const auto write_others = [&] {
    for (std::int64_t i = others.Between(0, 6); i > 0; --i) scenario.Put(scenario.Key("other"));
  };
  write_others();
  scenario.Put(ghost);
  write_others();
  scenario.Put(ghost);
  const Write gone = scenario.Delete(ghost);
  write_others();
  scenario.Put(scenario.Key("other"));

  scenario.Compact(gone.revision());
  scenario.PermitCompactedAtTheFloor();
  scenario.Watch({.group = "late", .range = OneKey(ghost), .start = gone.revision()});
  scenario.AwaitCreated("late");
}

}  // namespace
}  // namespace watchproof
