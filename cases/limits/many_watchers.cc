// SPDX-License-Identifier: Apache-2.0
// More watchers than a pass of the catch-up loop, or the queue of a stream, takes.
#include "cases/support/watch_case.h"

namespace watchproof {
namespace {

// A catch-up loop takes a bounded number of watches per pass. A watch that did not fit into one
// pass must be served by the next.
WATCH_CASE(Reliable, MultiPassCatchUp,
           {.requirement = "events are never dropped (etcd API, watch guarantees, reliable)",
            .explain = "More watches than one pass of the catch-up loop takes (512) are created "
                       "at once, all with history to read. Each must receive the whole history "
                       "and every later event.",
            .guarantees = {"Reliable", "Settled"}}) {
  const std::string key = scenario.Key("queue");
  const Write first = scenario.Put(key);
  scenario.PutSome(key, {10, 30});
  scenario.Open({.group = "all",
                 .count = static_cast<std::size_t>(scenario.Between(513, 560)),
                 .range = OneKey(key),
                 .start = first});
  scenario.PutSome(key, {1, 5});
  scenario.AwaitDelivered("all");
}

// When a reader stops, the queue of its stream is full after 128 responses, and the server must
// keep track of all further events in another way. When the reader continues, no event may be
// missing, duplicated or out of order.
constexpr std::size_t kWatchers = 1000;

WATCH_CASE(Reliable, StallWithThousandWatchers,
           {.requirement = kWatchGuarantees,
            .explain = "A thousand watches of one key share a stream that is stalled while the "
                       "key is written. After the stall each watch must have received every "
                       "write, once and in order.",
            .needs = {Capability::kProxy},
            .guarantees = {"Reliable", "Ordered", "Unique"}}) {
  const std::string key = scenario.Key("shared");
  scenario.Put(key);
  scenario.Open({.group = "thousand", .count = kWatchers, .range = OneKey(key)});
  scenario.Hold(0ms, 30ms);
  scenario.Stall(key, {25, 40}, {200, 2000});
  scenario.Hold(0ms, 50ms);
  scenario.Heal("stall");
  scenario.PutSome(key, {1, 5});
}

}  // namespace
}  // namespace watchproof
