// SPDX-License-Identifier: Apache-2.0
// Several faults at a time.
#include "cases/support/random_writer.h"
#include "cases/support/schedule.h"
#include "cases/support/watch_case.h"

namespace watchproof {
namespace {

// Faults seldom come alone: a slow path, a stalled reader, a cut connection and a killed server,
// each before the previous one is over, around a compaction at a deletion.
void WatchDeletionAtFloor(Scenario& scenario) {
  const std::string ghost = scenario.Key("ghost");
  scenario.Put(ghost);
  const Write gone = scenario.Delete(ghost);
  scenario.Put(scenario.Key("other"));
  scenario.Compact(gone);
  scenario.PermitCompactedAtTheFloor();
  scenario.Open({.group = "late", .range = OneKey(ghost), .start = gone, .stream = "late"});
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
     .needs = {Capability::kProxy, Capability::kCompaction, Capability::kDurable},
     .guarantees = {"Resumable", "Reliable", "Unique", "Ordered", "Atomic"},
     .upstream = {18089}}) {
  const std::string stem = scenario.Key("area");
  RandomWriter writer(scenario, stem);
  writer.Write(15, 30);
  scenario.Watch({.group = "first", .count = 20, .range = Below(stem)});
  scenario.Open({.group = "first", .count = 20, .range = OneKey(writer.key())});

  scenario.Inject("latency", {{"delay", fmt::format("{}us", scenario.Between(1000, 4000))}});
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

// The faults, their order, their moments and their overlaps are drawn from the seed. Whatever they
// are, the resumed watches must have received every event, once.
WATCH_CASE(Resumable, RandomFaultSchedule,
           {.requirement = "events are ordered, unique, atomic and never dropped, and a watch can "
                           "be resumed (etcd API, watch guarantees)",
            .explain = "Two rounds of overlapping faults, drawn from the seed: slow paths, "
                       "watches that fall behind, and connections, streams and servers that end, "
                       "at moments that are drawn too. Between the rounds the history is "
                       "compacted. Every event must arrive once and in order, every revision "
                       "whole.",
            .needs = {Capability::kProxy, Capability::kCompaction, Capability::kDurable,
                      Capability::kProgressRequest},
            .guarantees = {"Resumable", "Reliable", "Unique", "Ordered", "Atomic"}}) {
  const std::string stem = scenario.Key("area");
  RandomWriter writer(scenario, stem);
  writer.Write(10, 20);
  scenario.Watch({.group = "first", .count = 20, .range = Below(stem)});
  scenario.Open({.group = "first", .count = 20, .range = OneKey(writer.key())});
  Schedule schedule(scenario,
                    {.group = "first", .write = [&writer](std::int64_t least, std::int64_t most) {
                       writer.Write(least, most);
                     }});
  scenario.BeginLoad(
      {.clients = 2, .calls = 100, .keys = 3, .key = stem + "/load", .direct = true});
  scenario.Add(WhenStep{
      .moment = WhenStep::Moment::kCalls, .of = "load", .count = scenario.Between(1, 100)});
  schedule.Round();
  scenario.AwaitLoad();
  scenario.Compact(AtHead(-scenario.Between(0, 20)));
  writer.Write(1, 5);
  // The first response after the compaction.
  scenario.Add(WhenStep{.of = schedule.group(), .count = 1});
  schedule.Round();
}

}  // namespace
}  // namespace watchproof
