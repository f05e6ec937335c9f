// SPDX-License-Identifier: Apache-2.0
// A cache that receives a deletion without the old object has to start over, and does not always
// notice that. A server can be configured never to send such an event: it ends the watch with
// ErrCompacted instead, which a cache handles.
#include "cases/support/watch_case.h"

namespace watchproof {
namespace {

constexpr std::size_t kStalled = 400;

WATCH_CASE(PreviousValue, StrictPreviousValues,
           {.requirement = "with strict previous values a watch ends with ErrCompacted instead of "
                           "an event without prev_kv (embedded store, --strict-prev-kv)",
            .explain = "A watch that asks for previous values is behind a full queue when its key "
                       "is deleted, and the store is compacted at that deletion before it can be "
                       "sent. The watch must receive the event with its previous value, or "
                       "ErrCompacted, but never the event without it.",
            .level = Level::kMust,
            .needs = {Capability::kProxy, Capability::kCompaction, Capability::kPreviousValues,
                      Capability::kStrictPreviousValues},
            .guarantees = {"PreviousValue", "Reliable"},
            .upstream = {10681}}) {
  const std::string key = scenario.Key("gone");
  const std::string fat = scenario.Key("fat");
  Prng prng = scenario.Random("shape");
  for (std::int64_t i = prng.Between(1, 4); i > 0; --i) scenario.Put(key);
  scenario.Watch({.group = "watchers", .count = kStalled, .range = OneKey(fat)});
  scenario.Watch({.group = "cache", .range = OneKey(key), .options = {.prev_kv = true}});
  const std::string filler = scenario.Key("filler");
  scenario.Watch({.group = "filler", .count = kStalled / 2, .range = OneKey(filler)});
  scenario.AwaitCreated("watchers");
  scenario.AwaitCreated("cache");
  scenario.AwaitCreated("filler");
  scenario.Inject("stall");
  scenario.Put(fat, {8192, 8192});
  scenario.AwaitEffect("stall");
  // Fills the room that the sender has made in the queue meanwhile.
  scenario.Put(filler);
  const Write deletion = scenario.Delete(key);
  scenario.Compact(deletion.revision());
  scenario.PermitCompactedAtTheFloor();
  scenario.Hold(20ms, 60ms);
  scenario.Heal("stall");
  scenario.AwaitDelivered("cache");
}

}  // namespace
}  // namespace watchproof
