// SPDX-License-Identifier: Apache-2.0
// A stream with a full queue, and a compaction meanwhile.
#include "cases/support/watch_case.h"

namespace watchproof {
namespace {

// A server reads history for a watch in batches. A compaction between two batches can remove
// revisions that the next batch needed. The watch must then end with ErrCompacted and must not
// continue behind the gap.

// Watches with five batches each: more than the queue of their stream takes, created before
// it is full, however many passes of the catch-up loop there are until the compaction.
constexpr std::size_t kBehind = 60;

WATCH_CASE(CompactionSurfaced, CatchUpAcrossFloor,
           {.requirement = "a watch with compacted pending events ends with ErrCompacted (etcd "
                           "API guarantees)",
            .explain = "Watches of a client that does not read start thousands of revisions in "
                       "the past. When they have received some batches and the queue of their "
                       "stream is full, the store is compacted at its head, and the client reads "
                       "on. Each watch must receive every event or end with ErrCompacted, and at "
                       "least one must have received some events before. Watches that start at "
                       "the floor must receive every event from there on.",
            .needs = {Capability::kCompaction},
            .guarantees = {"CompactionSurfaced", "Reliable"},
            .upstream = {17529}}) {
  const std::string stem = scenario.Key("long");
  const Write first = scenario.Put(stem + "/0");
  scenario.BeginLoad({.clients = 8,
                      .calls = static_cast<std::size_t>(scenario.Between(505, 535)),
                      .keys = 1,
                      .key = stem,
                      .puts_only = true});
  scenario.AwaitLoad();
  const WatchedRange range = Below(stem);
  scenario.Inject("slow-reader");
  scenario.Watch({.group = "from the start", .count = kBehind, .range = range, .start = first});
  // The others may wait until the reader has made room for their created responses.
  scenario.Add(AwaitRegisteredStep{kAnswersThatWait});
  scenario.AwaitEffect("slow-reader");
  // Written before the wait: on a busy machine a put takes as long as the passes that are left.
  const Write floor = scenario.Put(stem + "/0");
  scenario.Add(AwaitSyncPassesStep{3});
  scenario.Compact(floor);
  scenario.Watch(
      {.group = "from the floor", .count = 10, .range = range, .start = floor, .stream = "second"});
  scenario.AwaitDelivered("from the floor");
  scenario.Heal("slow-reader");
  scenario.AwaitDelivered("from the start");
  scenario.Require("from the start", RequireStep::Fact::kCutShort, 2s);
}

// A client that stops reading fills the queue that all watchers of its stream share. Watchers that
// are created now, below the compaction floor, can get ErrCompacted only when the queue has room
// again. A server that drops the cancellation instead leaves these watchers waiting as if no event
// had been missed.
constexpr std::size_t kWatchers = 100;  // responses per put
constexpr std::size_t kLate = 8;
constexpr int kFatPuts = 60;
constexpr std::size_t kFatBytes = 16 * 1024;

WATCH_CASE(CompactionSurfaced, FullQueue,
           {.requirement =
                "a watch below the compaction floor ends with ErrCompacted (etcd API guarantees)",
            .explain = "One hundred watchers of one key share a stream that the proxy stalls. "
                       "Sixty puts of 16 KiB fill the stream's queue, the store is compacted at "
                       "its head, and eight watchers with an old start revision are created on "
                       "the same stream. After the stall each of the eight must end with "
                       "ErrCompacted. Servers that drop the cancellation when the queue is full "
                       "continue these watchers silently at the next new revision (etcd #17529).",
            .needs = {Capability::kProxy, Capability::kCompaction, Capability::kClientChosenIds},
            .guarantees = {"CompactionSurfaced"},
            .upstream = {17529}}) {
  const std::string hot = scenario.Key("hot");
  const Write first = scenario.Put(hot);
  Prng warm_up = scenario.Random("warm-up");
  for (std::int64_t i = warm_up.Between(2, 12); i > 0; --i) scenario.Put(hot);

  scenario.Open({.group = "watchers", .count = kWatchers, .range = OneKey(hot), .first_id = 1});
  scenario.Hold(0ms, 30ms);
  scenario.Inject("stall");
  for (int i = 0; i < kFatPuts; ++i) scenario.Put(hot, {kFatBytes, kFatBytes});
  scenario.AwaitEffect("stall");

  scenario.Compact(AtHead());
  scenario.Watch(
      {.group = "late", .count = kLate, .range = OneKey(hot), .start = first, .first_id = 1001});
  scenario.Add(AwaitRegisteredStep{kWatchers + kLate});
  scenario.Add(AwaitSyncPassesStep{3});
  scenario.Hold(0ms, 30ms);
  scenario.Heal("stall");
  scenario.AwaitCreated("late");
}

}  // namespace
}  // namespace watchproof
