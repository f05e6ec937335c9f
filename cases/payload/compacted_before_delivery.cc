// SPDX-License-Identifier: Apache-2.0
// A deletion waits behind a full queue, and before it is sent the store is compacted at its
// revision: the previous value is gone. etcd then sends the event without it. A Kubernetes watch
// cache that receives a deletion without the old object cannot name the deleted object: it ends its
// watch with an error or, where it trusts the event, keeps the deleted object. A missing event
// would be worse than both.
#include "cases/support/watch_case.h"

namespace watchproof {
namespace {

constexpr std::size_t kWatchers = 400;

WATCH_CASE(PreviousValue, CompactedBeforeDelivery,
           {.requirement = "prev_kv may be missing when the previous revision was compacted, the "
                           "event may not (etcd API, Event)",
            .explain = "A watch that asks for previous values is behind a full queue when its key "
                       "is deleted, and the store is compacted at that deletion before it can be "
                       "sent. The watch must receive the event, with or without its previous "
                       "value, or ErrCompacted. A Kubernetes cache that gets the event without it "
                       "cannot name the deleted object and has to start over (etcd #10681).",
            .level = Level::kShould,
            .needs = {Capability::kProxy, Capability::kCompaction, Capability::kPreviousValues},
            .guarantees = {"PreviousValue", "Reliable"},
            .upstream = {10681}}) {
  const std::string key = scenario.Key("gone");
  const std::string fat = scenario.Key("fat");
  Prng prng = scenario.Random("shape");
  for (std::int64_t i = prng.Between(1, 4); i > 0; --i) scenario.Put(key);
  scenario.Watch({.group = "watchers", .count = kWatchers, .range = OneKey(fat)});
  scenario.Watch({.group = "cache", .range = OneKey(key), .options = {.prev_kv = true}});
  scenario.AwaitCreated("watchers");
  scenario.AwaitCreated("cache");
  scenario.Hold(0ms, 30ms);
  scenario.Inject("stall");
  // One write fills the queue, so that only the watch of the cache is behind the following floor.
  scenario.Put(fat, {8192, 8192});
  scenario.AwaitEffect("stall");
  const Write deletion = scenario.Delete(key);
  scenario.Compact(deletion.revision());
  scenario.Hold(20ms, 60ms);
  scenario.Heal("stall");
  scenario.AwaitDelivered("cache");
}

}  // namespace
}  // namespace watchproof
