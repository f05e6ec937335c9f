// SPDX-License-Identifier: Apache-2.0
// A compaction moves the floor under watches that live, wait, or are about to resume. Only what is
// below it may be missing, and a watch may end only if it needs what is below.
#include "cases/support/watch_case.h"

namespace watchproof {
namespace {

constexpr const char* kFloor =
    "compaction removes what is below its revision and nothing else (etcd API, "
    "CompactionRequest); a watch that needs what is below ends with ErrCompacted";

WATCH_CASE(CompactionSurfaced, LiveWatches,
           {.requirement = kFloor,
            .explain = "The store is compacted at its head after each of many writes, while live "
                       "watches of all kinds follow. They need nothing from below the floor: each "
                       "must receive every event, and none may end.",
            .needs = {Capability::kCompaction},
            .guarantees = {"CompactionSurfaced", "Reliable"}}) {
  const std::string stem = scenario.Key("moving");
  const std::string key = stem + "/k";
  scenario.Put(key);
  scenario.Watch({.group = "live", .count = 3, .range = Below(stem)});
  scenario.Watch({.group = "live", .range = OneKey(key), .options = {.no_put = true}});
  scenario.Watch({.group = "quiet", .range = OneKey(scenario.Key("quiet"))});
  scenario.AwaitCreated("live", "quiet");
  for (std::int64_t i = scenario.Between(15, 30); i > 0; --i) {
    scenario.Put(key);
    if (scenario.Chance(0.3)) scenario.Delete(key);
    if (scenario.Chance(0.3)) scenario.PutTogether({key, scenario.Key(stem)});
    scenario.Compact(AtHead());
  }
  // The watch without puts receives a part of this, whatever was drawn above.
  scenario.Delete(key);
  scenario.Put(key);
  scenario.AwaitDelivered("live");
  scenario.Require("live", RequireStep::Fact::kReceived);
}

WATCH_CASE(CompactionSurfaced, FloorAfterFloor,
           {.requirement = kFloor,
            .explain = "The store is compacted again and again, each time a little higher, at "
                       "puts, at deletions and at transactions. Each time watches start at the "
                       "new floor, above it and below it, and reads name these revisions.",
            .needs = {Capability::kCompaction},
            .guarantees = {"CompactionSurfaced", "Reliable"}}) {
  const std::string stem = scenario.Key("again");
  const std::string key = stem + "/k";
  const std::string other = stem + "/l";
  std::vector<Write> writes = {scenario.PutTogether({key, other})};
  for (int round = 0; round < 6; ++round) {
    const std::size_t from = writes.size();
    for (std::int64_t i = scenario.Between(2, 4); i > 0; --i) {
      writes.push_back(scenario.Put(key));
      writes.push_back(scenario.Put(other));
      writes.push_back(scenario.Delete(key));
      writes.push_back(scenario.PutTogether({key, other}));
    }
    const auto at = static_cast<std::size_t>(scenario.Between(
        static_cast<std::int64_t>(from), static_cast<std::int64_t>(writes.size()) - 3));
    // Not a deletion: some releases lose that one, which is another case. One write is above it.
    const std::size_t floor = (at - from) % 4 == 2 ? at + 1 : at;
    scenario.Compact(writes[floor]);
    const auto watch = [&](const std::string& group, const RevisionRef& start) {
      const std::string name = fmt::format("{} {}", group, round);
      scenario.Watch({.group = name, .range = Below(stem), .start = start});
      scenario.Add(ReadStep{.key = stem + "/", .range_end = stem + "0", .at = start});
      return name;
    };
    const std::string below = watch("below", writes[floor - 1]);
    const std::string edge = watch("at", writes[floor]);
    const std::string above = watch("above", writes[floor + 1]);
    for (const std::string& group : {below, edge, above}) scenario.AwaitDelivered(group);
    scenario.Require(below, RequireStep::Fact::kCompacted);
    scenario.Require(edge, RequireStep::Fact::kReceived);
  }
}

WATCH_CASE(CompactionSurfaced, EveryKindOfWatch,
           {.requirement = kFloor,
            .explain = "Watches with every filter and option, on ranges with and without changes, "
                       "start below the floor, exactly at it, and in the future. Those below must "
                       "end with ErrCompacted, also if nothing in their range was removed; all "
                       "others must not end.",
            .needs = {Capability::kCompaction, Capability::kFragment},
            .guarantees = {"CompactionSurfaced", "Reliable", "Filtered"}}) {
  const std::string key = scenario.Key("kinds");
  const std::string untouched = scenario.Key("untouched");
  const std::vector<Write> writes = scenario.PutSome(key, {8, 14});
  const std::size_t floor = writes.size() / 2;
  scenario.Compact(writes[floor]);
  const WatchOptions kinds[] = {{},
                                {.progress_notify = true},
                                {.fragment = true},
                                {.no_put = true},
                                {.no_delete = true},
                                {.fragment = true, .no_put = true, .no_delete = true}};
  const auto watch = [&](const std::string& group, const RevisionRef& start) {
    for (const WatchOptions& options : kinds) {
      scenario.Watch({.group = group, .range = OneKey(key), .start = start, .options = options});
      scenario.Watch(
          {.group = group, .range = OneKey(untouched), .start = start, .options = options});
    }
    scenario.AwaitCreated(group);
  };
  watch("below", writes[floor - 1]);
  watch("at", writes[floor]);
  watch("future", AtHead(4));
  scenario.AwaitDelivered("below");
  scenario.Require("below", RequireStep::Fact::kCompacted, 2s);
  for (int i = 0; i < 6; ++i) scenario.Put(key);
  scenario.Delete(key);
  scenario.AwaitDelivered("at", "future");
}

WATCH_CASE(CompactionSurfaced, FutureAboveTheFloor,
           {.requirement = kFloor,
            .explain = "Watches wait for a revision that does not exist yet. The store is written "
                       "up to there and beyond, and compacted at each revision on the way. The "
                       "watches must receive everything from their start on.",
            .needs = {Capability::kCompaction},
            .guarantees = {"CompactionSurfaced", "Reliable"}}) {
  const std::string key = scenario.Key("later");
  scenario.Put(key);
  for (const std::int64_t ahead : {2, 5, 8}) {
    scenario.Watch({.group = "future", .count = 2, .range = OneKey(key), .start = AtHead(ahead)});
  }
  scenario.AwaitCreated("future");
  for (std::int64_t i = scenario.Between(10, 14); i > 0; --i) {
    scenario.Put(key);
    scenario.Compact(AtHead());
  }
  scenario.AwaitDelivered("future");
  scenario.Require("future", RequireStep::Fact::kReceived);
}

WATCH_CASE(CompactionSurfaced, FloorAfterKill,
           {.requirement = std::string(kFloor) + "; acknowledged writes are durable",
            .explain = "The store is compacted and killed. After the restart watches start below "
                       "the floor, at it and above it, and so do reads: the floor must be where "
                       "it was.",
            .needs = {Capability::kCompaction, Capability::kDurable},
            .guarantees = {"CompactionSurfaced", "Reliable", "Resumable"}}) {
  const std::string stem = scenario.Key("kept");
  const std::string key = stem + "/k";
  scenario.Open({.group = "first", .range = Below(stem)});
  std::vector<Write> writes;
  for (std::int64_t i = scenario.Between(8, 16); i > 0; --i) {
    writes.push_back(scenario.PutTogether({key, scenario.Key(stem)}));
    writes.push_back(scenario.Put(key));
  }
  const std::size_t floor = writes.size() / 2;
  scenario.Compact(writes[floor]);
  scenario.AwaitDelivered("first");
  scenario.KillAndRestart();
  scenario.Resume("first", "second");
  for (const std::size_t at : {floor - 1, floor, floor + 1}) {
    const std::string group = fmt::format("from {}", at);
    scenario.Watch({.group = group, .range = Below(stem), .start = writes[at], .stream = "after"});
    scenario.Add(ReadStep{.key = stem + "/", .range_end = stem + "0", .at = writes[at]});
    scenario.AwaitCreated(group);
    scenario.AwaitDelivered(group);
  }
  scenario.Require(fmt::format("from {}", floor - 1), RequireStep::Fact::kCompacted, 2s);
  scenario.Put(key);
  scenario.AwaitDelivered("second");
}

// Cuts the connection of a watch and writes; then compacts the store so far above the revision that
// the watch resumes from, and resumes it.
void ResumeAcross(Scenario& scenario, std::size_t above) {
  const std::string key = scenario.Key("cut");
  scenario.Put(key);
  scenario.Open({.group = "first", .count = 3, .range = OneKey(key)});
  scenario.PutSome(key, {1, 5});
  scenario.AwaitDelivered("first");
  scenario.Disturb("reset");
  const std::vector<Write> missed = scenario.PutSome(key, {5, 9});
  scenario.Compact(missed[above]);
  scenario.Resume("first", "second");
  scenario.AwaitDelivered("second");
}

WATCH_CASE(Resumable, AtTheFloor,
           {.requirement = "a watch resumes after the last event that it received (etcd API, watch "
                           "guarantees, resumable); compaction keeps its own revision",
            .explain = "The connection of a watch is cut, its key is written, and the store is "
                       "compacted exactly at the next revision of the watch. The resumed watch "
                       "must receive everything.",
            .needs = {Capability::kProxy, Capability::kCompaction},
            .guarantees = {"Resumable", "Reliable", "CompactionSurfaced"}}) {
  ResumeAcross(scenario, 0);
  scenario.Require("second", RequireStep::Fact::kReceived);
}

WATCH_CASE(Resumable, BelowTheFloor,
           {.requirement = "a watch that needs a compacted revision ends with ErrCompacted, also "
                           "one that is resumed (etcd API, WatchResponse.compact_revision)",
            .explain = "The connection of a watch is cut, its key is written, and the store is "
                       "compacted one revision above the next one of the watch. The resumed watch "
                       "must end with ErrCompacted: it cannot have what it missed.",
            .needs = {Capability::kProxy, Capability::kCompaction},
            .guarantees = {"Resumable", "CompactionSurfaced"}}) {
  ResumeAcross(scenario, 1);
  scenario.Require("second", RequireStep::Fact::kCompacted, 2s);
}

}  // namespace
}  // namespace watchproof
