// SPDX-License-Identifier: Apache-2.0
// Where the floor is: compactions that move it and those that must not, and watches that start at,
// above and below it.
#include "cases/support/watch_case.h"

namespace watchproof {
namespace {

WATCH_CASE(CompactionSurfaced, StartAroundFloor,
           {.requirement = "watching from a compacted revision ends with ErrCompacted, any other "
                           "does not (etcd API, WatchCreateRequest)",
            .explain = "A key is written a few times, the store is compacted in the middle, and "
                       "watches start one revision below the floor, at it, and one above it. Only "
                       "watches below the floor may end, and they must.",
            .needs = {Capability::kCompaction},
            .guarantees = {"CompactionSurfaced", "Reliable"}}) {
  const std::string key = scenario.Key("edge");
  const std::vector<Write> writes = scenario.PutSome(key, {6, 20});
  const auto middle =
      static_cast<std::size_t>(scenario.Between(2, static_cast<std::int64_t>(writes.size()) - 3));

  scenario.Compact(writes[middle]);
  scenario.Watch({.group = "below", .range = OneKey(key), .start = writes[middle - 1]});
  scenario.Watch({.group = "far below", .range = OneKey(key), .start = writes[0]});
  scenario.Watch({.group = "at", .range = OneKey(key), .start = writes[middle]});
  scenario.Watch({.group = "above", .range = OneKey(key), .start = writes[middle + 1]});
  scenario.AwaitCreated("below", "far below", "at", "above");
  scenario.AwaitDelivered("at", "above");
}

WATCH_CASE(CompactionSurfaced, RefusedCompaction,
           {.requirement = "compaction at a revision that was compacted, or that does not exist "
                           "yet, is out of range (etcd API, KV service)",
            .explain = "The store is compacted some revisions below its head, then at the same "
                       "revision again, below it, in the future, and twice at its head, while "
                       "watches are open. Only the first compaction and the first one at the head "
                       "may succeed. Watches from below the floor must end with ErrCompacted, all "
                       "others must receive every event.",
            .needs = {Capability::kCompaction},
            .guarantees = {"CompactionSurfaced", "Reliable"}}) {
  const std::string key = scenario.Key("floor");
  const Write first = scenario.Put(key);
  scenario.PutSome(key, {20, 40});
  scenario.Open({.group = "before", .count = 5, .range = OneKey(key)});
  const std::int64_t below = scenario.Between(5, 10);
  scenario.Compact(AtHead(-below));
  scenario.Add(CompactStep{.at = AtHead(-below), .refused = true});
  scenario.Add(CompactStep{.at = AtHead(-below - 1), .refused = true});
  scenario.Add(CompactStep{.at = AtHead(scenario.Between(1, 1000)), .refused = true});
  scenario.Watch({.group = "compacted", .count = 3, .range = OneKey(key), .start = first});
  scenario.Open({.group = "above", .range = OneKey(key), .start = AtHead(-below + 1)});
  scenario.Put(key);
  scenario.Compact(AtHead());
  scenario.Add(CompactStep{.at = AtHead(), .refused = true});
  scenario.Put(key);
  scenario.AwaitDelivered("before");
}

// ErrCompacted is the last response of a watch. A server that repeats it on every pass of its
// catch-up loop wastes time on both sides and delays watches that still have history to read.
constexpr std::size_t kMany = 600;
// On a busy machine the server may keep up with one burst, but hardly with all of them.
constexpr int kClients = 4;

WATCH_CASE(CompactionSurfaced, SingleNotice,
           {.requirement = "ErrCompacted ends a watch; nothing follows it (etcd API, "
                           "WatchResponse.canceled)",
            .explain = "Four clients, one after the other, create six hundred watches below the "
                       "floor each, more than a server handles in one pass of its catch-up loop. "
                       "Each watch must end with ErrCompacted exactly once. Servers that do not "
                       "remove a finished watch from the set of all watches send ErrCompacted "
                       "again on every pass (etcd #22294).",
            .needs = {Capability::kCompaction},
            .guarantees = {"CompactionSurfaced"},
            .upstream = {22294, 17529}}) {
  const std::string key = scenario.Key("once");
  const Write first = scenario.Put(key);
  scenario.PutSome(key, {6, 12});
  const Write floor = scenario.Put(key);

  scenario.Compact(floor);
  for (int i = 0; i < kClients; ++i) {
    const std::string client = fmt::format("client {}", i);
    scenario.Open(
        {.group = client, .count = kMany, .range = OneKey(key), .start = first, .stream = client});
  }
  // The server could repeat the cancellation in every further pass.
  scenario.Add(AwaitSyncPassesStep{6});
}

// A client that reconnects after a long absence re-creates all its watches at once. If all of them
// start below the compaction floor, the cancellations alone fill the queue of the stream. None of
// them may be lost.
constexpr std::size_t kBurst = 200;
// On a busy machine the server may empty its queue while one burst arrives, but hardly for all.
constexpr int kCreators = 5;

WATCH_CASE(CompactionSurfaced, CreateBurst,
           {.requirement = "a watch below the compaction floor ends with ErrCompacted (etcd API "
                           "guarantees)",
            .explain = "Five clients, one after the other, create two hundred watches below the "
                       "floor each, without waiting for answers. Each watch must end with "
                       "ErrCompacted. Servers that drop a cancellation when the queue is full "
                       "answer the first 129 and continue the others as if no event had been "
                       "missed (etcd #17529).",
            .needs = {Capability::kCompaction},
            .guarantees = {"CompactionSurfaced"},
            .upstream = {17529}}) {
  const std::string key = scenario.Key("burst");
  const Write first = scenario.Put(key);
  scenario.PutSome(key, {6, 12});
  const Write floor = scenario.Put(key);
  scenario.PutSome(key, {1, 3});

  scenario.Compact(floor);
  for (int i = 0; i < kCreators; ++i) {
    const std::string client = fmt::format("client {}", i);
    scenario.Open(
        {.group = client, .count = kBurst, .range = OneKey(key), .start = first, .stream = client});
    // Each burst is processed before the next one: together they would exceed one catch-up pass,
    // which is another case.
    scenario.Add(AwaitSyncPassesStep{2});
  }
}

}  // namespace
}  // namespace watchproof
