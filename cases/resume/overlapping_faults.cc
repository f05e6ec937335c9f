// SPDX-License-Identifier: Apache-2.0
// Faults seldom come alone: a slow path, a stalled reader, a cut connection and a killed server,
// each before the previous one is over, around a compaction at a deletion.
#include "cases/support/random_writer.h"
#include "cases/support/watch_case.h"

namespace watchproof {
namespace {

void WatchDeletionAtFloor(Scenario& scenario) {
  const std::string ghost = scenario.Key("ghost");
  scenario.Put(ghost);
  const Write gone = scenario.Delete(ghost);
  scenario.Put(scenario.Key("other"));
  scenario.Compact(gone.revision());
  scenario.PermitCompactedAtTheFloor();
  scenario.Watch(
      {.group = "late", .range = OneKey(ghost), .start = gone.revision(), .stream = "late"});
  scenario.AwaitCreated("late");
}

WATCH_CASE(
    Resumable, OverlappingFaults,
    {.requirement = "events are ordered, unique, atomic and never dropped, and a watch can be "
                    "resumed (etcd API, watch guarantees)",
     .explain = "Watches on a prefix and on one key continue through latency, a stall, a reset of "
                "their connection and a kill of the server, while keys are put, deleted and "
                "changed in transactions. They are resumed after each cut. At the end the store "
                "is compacted at a deletion, and a watch from there must receive it or "
                "ErrCompacted. Every event must arrive once and in order, every revision whole.",
     .level = Level::kMust,
     .needs = {Capability::kProxy, Capability::kCompaction, Capability::kDurable},
     .guarantees = {"Resumable", "Reliable", "Unique", "Ordered", "Atomic"},
     .upstream = {18089}}) {
  Prng prng = scenario.Random("shape");
  const std::string stem = scenario.Key("area");
  RandomWriter writer(scenario, stem);
  writer.Write(15, 30);
  scenario.Watch({.group = "first", .count = 20, .range = Prefix(stem + "/")});
  scenario.Watch({.group = "first", .count = 20, .range = OneKey(writer.key())});
  scenario.AwaitCreated("first");

  scenario.Inject("latency", {{"delay", fmt::format("{}us", prng.Between(1000, 4000))}});
  writer.Write(20, 40);
  scenario.AwaitEffect("latency");
  scenario.AwaitDelivered("first");
  scenario.Inject("stall");
  writer.Write(60, 90);
  scenario.AwaitEffect("stall");
  scenario.Inject("reset");
  writer.Write(10, 30);
  scenario.AwaitEffect("reset");
  scenario.Heal("stall");
  scenario.Heal("reset");
  scenario.Resume("first", "second");
  writer.Write(20, 40);
  scenario.AwaitDelivered("second");
  scenario.KillAndRestart();
  writer.Write(20, 40);
  scenario.Resume("second", "third");
  writer.Write(10, 20);
  scenario.AwaitDelivered("third");
  WatchDeletionAtFloor(scenario);
  scenario.Heal("latency");
}

}  // namespace
}  // namespace watchproof
