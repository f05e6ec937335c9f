// SPDX-License-Identifier: Apache-2.0
// A client that stops reading fills the queue that all watchers of its stream share. Watchers that
// are created now, below the compaction floor, can get ErrCompacted only when the queue has room
// again. A server that drops the cancellation instead leaves these watchers waiting as if no event
// had been missed.
#include "cases/support/watch_case.h"

namespace watchproof {
namespace {

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
  scenario.Watch({.group = "late",
                  .count = kLate,
                  .range = OneKey(hot),
                  .start = first.revision(),
                  .first_id = 1001});
  scenario.Add(AwaitRegisteredStep{kWatchers + kLate});
  scenario.Add(AwaitSyncPassesStep{3});
  scenario.Hold(0ms, 30ms);
  scenario.Heal("stall");
  scenario.AwaitCreated("late");
}

}  // namespace
}  // namespace watchproof
