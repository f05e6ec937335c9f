// SPDX-License-Identifier: Apache-2.0
// A transaction within a transaction can change a key that another part of it has changed already:
// two changes of one key in one revision. Compaction at that revision keeps the last of them only,
// and a watch may start there.
#include "cases/support/watch_case.h"

namespace watchproof {
namespace {

WATCH_CASE(CompactionSurfaced, TwoChangesAtFloor,
           {.requirement =
                "events at or above the compaction revision remain available (etcd API, Compact), "
                "and a list of events encompasses complete revisions",
            .explain = "One transaction puts a key and, in a transaction within it, deletes it "
                       "again. The store is compacted at that revision, and the key is watched "
                       "from there. The watch must receive the whole revision or ErrCompacted. "
                       "No release of etcd is known that does: the put is gone.",
            .level = Level::kMust,
            .needs = {Capability::kCompaction},
            .guarantees = {"Reliable", "Atomic"}}) {
  const std::string twice = scenario.Key("twice");
  Prng others = scenario.Random("others");
  const auto write_others = [&] {
    for (std::int64_t i = others.Between(1, 5); i > 0; --i) scenario.Put(scenario.Key("other"));
  };
  write_others();
  if (others.Chance(0.5)) scenario.Put(twice);
  scenario.Watch({.group = "live", .range = OneKey(twice)});
  scenario.AwaitCreated("live");
  const Write both = scenario.Transact(
      {TxnStep{{PutStep{twice, scenario.Value()}}}, TxnStep{{DeleteStep{.key = twice}}}});
  scenario.AwaitDelivered("live");
  write_others();
  scenario.Compact(both.revision());
  scenario.PermitCompactedAtTheFloor();
  scenario.Watch({.group = "late", .range = OneKey(twice), .start = both.revision()});
  scenario.AwaitCreated("late");
}

}  // namespace
}  // namespace watchproof
