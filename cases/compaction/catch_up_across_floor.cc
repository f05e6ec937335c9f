// SPDX-License-Identifier: Apache-2.0
// A server reads history for a watch in batches. A compaction between two batches can remove
// revisions that the next batch needed. The watch must then end with ErrCompacted and must not
// continue behind the gap.
#include "cases/support/watch_case.h"

namespace watchproof {
namespace {

// Of four batches each: more than the queue of their stream takes, and one that waits for each.
constexpr std::size_t kBehind = 60;
constexpr std::size_t kRegistered = 16;

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
                      .calls = static_cast<std::size_t>(scenario.Between(400, 430)),
                      .keys = 1,
                      .key = stem,
                      .puts_only = true});
  scenario.AwaitLoad();
  const WatchedRange range = Prefix(stem + "/");
  scenario.Inject("slow-reader");
  scenario.Watch(
      {.group = "from the start", .count = kBehind, .range = range, .start = first.revision()});
  // The others may wait until the reader has made room for their created responses.
  scenario.Add(AwaitRegisteredStep{kRegistered});
  scenario.AwaitEffect("slow-reader");
  scenario.Add(AwaitSyncPassesStep{3});
  const Write floor = scenario.Put(stem + "/0");
  scenario.Compact(floor.revision());
  scenario.Watch({.group = "from the floor",
                  .count = 10,
                  .range = range,
                  .start = floor.revision(),
                  .stream = "second"});
  scenario.AwaitDelivered("from the floor");
  scenario.Heal("slow-reader");
  scenario.AwaitDelivered("from the start");
  scenario.Require("from the start", RequireStep::Fact::kCutShort, 2s);
}

}  // namespace
}  // namespace watchproof
