// SPDX-License-Identifier: Apache-2.0
// A change at the compaction floor itself: a watch may start there, and must receive the change or
// ErrCompacted.
#include "cases/support/watch_case.h"

namespace watchproof {
namespace {

// Compaction keeps everything from its revision on. That includes a deletion at exactly that
// revision, and a watch may start there. A client that does not receive the deletion keeps the
// deleted key for ever.
WATCH_CASE(CompactionSurfaced, DeleteAtFloor,
           {.requirement =
                "events at or above the compaction revision remain available (etcd API, Compact)",
            .explain = "A key is put and deleted, the store is compacted at the deletion, and the "
                       "key is watched from there. The watch must receive the deletion or "
                       "ErrCompacted. Servers that remove a tombstone at the compaction revision "
                       "deliver neither (etcd #18089).",
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

  scenario.Compact(gone);
  scenario.PermitCompactedAtTheFloor();
  scenario.Open({.group = "late", .range = OneKey(ghost), .start = gone});
}

// What compaction keeps must also survive a restart. A deletion at the floor has no put before it
// any more, and a server that rebuilds its index from disk may overlook it.
WATCH_CASE(CompactionSurfaced, DeleteAtFloorRestart,
           {.requirement =
                "events at or above the compaction revision remain available (etcd API, Compact)",
            .explain = "A key is put and deleted, the store is compacted at the deletion, killed "
                       "and restarted, and the key is watched from there. The watch must receive "
                       "the deletion or ErrCompacted (etcd #19179; servers with #18089 lose the "
                       "deletion before the restart).",
            .needs = {Capability::kDurable, Capability::kCompaction},
            .guarantees = {"Reliable", "CompactionSurfaced"},
            .upstream = {19179, 18089}}) {
  const std::string ghost = scenario.Key("ghost");
  for (std::int64_t i = scenario.Between(1, 4); i > 0; --i) scenario.Put(scenario.Key("other"));
  scenario.PutSome(ghost, {1, 3});
  const Write gone = scenario.Delete(ghost);
  for (std::int64_t i = scenario.Between(1, 4); i > 0; --i) scenario.Put(scenario.Key("other"));
  scenario.Compact(gone);
  scenario.KillAndRestart();
  scenario.PermitCompactedAtTheFloor();
  scenario.Open({.group = "late", .range = OneKey(ghost), .start = gone});
}

// A transaction within a transaction can change a key that another part of it has changed already:
// two changes of one key in one revision. Compaction at that revision keeps the last of them only,
// and a watch may start there.
WATCH_CASE(CompactionSurfaced, TwoChangesAtFloor,
           {.requirement =
                "events at or above the compaction revision remain available (etcd API, Compact), "
                "and a list of events encompasses complete revisions",
            .explain = "One transaction puts a key and, in a transaction within it, deletes it "
                       "again. The store is compacted at that revision, and the key is watched "
                       "from there. The watch must receive the whole revision or ErrCompacted. "
                       "No release of etcd is known that does: the put is gone.",
            .needs = {Capability::kCompaction},
            .guarantees = {"Reliable", "Atomic"}}) {
  const std::string twice = scenario.Key("twice");
  Prng others = scenario.Random("others");
  const auto write_others = [&] {
    for (std::int64_t i = others.Between(1, 5); i > 0; --i) scenario.Put(scenario.Key("other"));
  };
  write_others();
  if (others.Chance(0.5)) scenario.Put(twice);
  scenario.Open({.group = "live", .range = OneKey(twice)});
  const Write both = scenario.Transact(
      {TxnStep{{PutStep{twice, scenario.Value()}}}, TxnStep{{DeleteStep{.key = twice}}}});
  scenario.AwaitDelivered("live");
  write_others();
  scenario.Compact(both);
  scenario.PermitCompactedAtTheFloor();
  scenario.Open({.group = "late", .range = OneKey(twice), .start = both});
}

}  // namespace
}  // namespace watchproof
