// SPDX-License-Identifier: Apache-2.0
// Compaction promises to keep everything from its revision on. A deletion at exactly that revision
// is such a thing, and a watch may start there: a client that is not given it keeps a ghost of the
// key for ever.
#include "cases/support/watch_case.h"

namespace watchproof {
namespace {

WATCH_CASE(CompactionSurfaced, DeleteAtTheFloorIsDelivered,
           {.requirement =
                "events at or above the compaction revision remain available (etcd API, Compact)",
            .explain = "A key is put and deleted, the store is compacted at the deletion, and the "
                       "key is watched from "
                       "there. The watch must get the deletion or ErrCompacted. Servers that "
                       "remove a tombstone at "
                       "the compaction revision deliver neither (etcd #18089).",
            .level = Level::kMust,
            .needs = {Capability::kCompaction},
            .guarantees = {"Reliable", "CompactionSurfaced"},
            .upstream = {18089}}) {
  const std::string ghost = scenario.Key("ghost");
  Prng bystanders = scenario.Random("bystanders");
  const auto disturb = [&] {
    for (std::int64_t i = bystanders.Between(0, 6); i > 0; --i)
      scenario.Put(scenario.Key("bystander"));
  };
  disturb();
  scenario.Put(ghost);
  disturb();
  scenario.Put(ghost);
  const Write gone = scenario.Delete(ghost);
  disturb();
  scenario.Put(scenario.Key("bystander"));

  scenario.Compact(gone.revision());
  scenario.PermitCompactedAtTheFloor();
  scenario.Watch({.group = "mourner", .range = OneKey(ghost), .start = gone.revision()});
  scenario.AwaitCreated("mourner");
}

}  // namespace
}  // namespace watchproof
