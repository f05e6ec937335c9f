// SPDX-License-Identifier: Apache-2.0
// Events with the previous value of their key.
#include "cases/support/watch_case.h"
#include "harness/scenario/steps/lease.h"

namespace watchproof {
namespace {

// A cache needs the previous value to decide whether an object leaves its selection. As long as
// nothing is compacted the server has that value, so it must be sent.
WATCH_CASE(PreviousValue, EveryChange,
           {.requirement = "prev_kv holds the key-value pair before the event happens (etcd API, "
                           "Event)",
            .explain = "Keys are put, put again, deleted and created anew, in transactions too, "
                       "while watches ask for previous values, live and from history. Nothing is "
                       "compacted: every change of an existing key must carry exactly the "
                       "previous value, and every creation none.",
            .needs = {Capability::kPreviousValues},
            .guarantees = {"PreviousValue", "Reliable"}}) {
  const std::string stem = scenario.Key("before");
  std::vector<std::string> keys = scenario.Keys(stem, {3, 6});
  const Write first = scenario.PutTogether(keys);
  scenario.Watch({.group = "live", .count = 2, .range = Below(stem), .options = {.prev_kv = true}});
  scenario.Watch({.group = "without", .range = Below(stem)});
  scenario.AwaitCreated("live", "without");
  for (std::int64_t i = scenario.Between(15, 30); i > 0; --i) {
    const std::string& key = scenario.Pick(keys);
    scenario.Put(key);
    if (scenario.Chance(0.4)) {
      scenario.Delete(key);
      scenario.Put(key);
    }
    if (scenario.Chance(0.2)) scenario.PutTogether(keys);
  }
  scenario.Delete(keys.front());
  scenario.Open({.group = "late",
                 .count = 2,
                 .range = Below(stem),
                 .start = first,
                 .options = {.prev_kv = true}});
  scenario.AwaitDelivered("live", "late");
}

WATCH_CASE(PreviousValue, EndOfALease,
           {.requirement = "prev_kv holds the key-value pair before the event happens (etcd API, "
                           "Event), also when the end of a lease deletes the key (LeaseRevoke)",
            .explain = "Keys are put on leases and moved from one to the other. The leases are "
                       "revoked, another one expires. Every deletion must carry "
                       "the previous value with its revisions and its lease, live and from "
                       "history.",
            .needs = {Capability::kPreviousValues, Capability::kLeases},
            .guarantees = {"PreviousValue", "Leased", "Reliable"}}) {
  const std::string stem = scenario.Key("leased");
  const std::vector<std::string> leases = {"first", "second"};
  for (const std::string& lease : leases) scenario.Add(LeaseStep{lease, 60s});
  scenario.Open({.group = "live", .count = 2, .range = Below(stem), .options = {.prev_kv = true}});
  const Write begin = scenario.Put(scenario.Key(stem));
  for (std::int64_t i = scenario.Between(6, 12); i > 0; --i) {
    const std::string key = scenario.Key(stem);
    scenario.PutOnLease(key, scenario.Pick(leases));
    if (scenario.Chance(0.5)) scenario.PutOnLease(key, scenario.Pick(leases));
  }
  for (const std::string& lease : leases) {
    scenario.PutOnLease(scenario.Key(stem), lease);
    scenario.Add(RevokeStep{lease});
  }
  scenario.Add(LeaseStep{"expires", 5s});
  scenario.PutOnLease(scenario.Key(stem), "expires");
  scenario.Add(AwaitExpiredStep{"expires"});
  scenario.Open({.group = "late",
                 .count = 2,
                 .range = Below(stem),
                 .start = begin,
                 .options = {.prev_kv = true}});
  scenario.AwaitDelivered("live", "late");
  scenario.Require("live", RequireStep::Fact::kReceived);
}

// A deletion waits behind a full queue, and before it is sent the store is compacted at its
// revision: the previous value is gone. etcd then sends the event without it. A Kubernetes watch
// cache that receives a deletion without the old object cannot name the deleted object: it ends its
// watch with an error or, where it trusts the event, keeps the deleted object. A missing event
// would be worse than both.
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
  scenario.PutSome(key, {1, 4});
  scenario.Watch({.group = "watchers", .count = kWatchers, .range = OneKey(fat)});
  scenario.Watch({.group = "cache", .range = OneKey(key), .options = {.prev_kv = true}});
  scenario.AwaitCreated("watchers", "cache");
  scenario.Hold(0ms, 30ms);
  scenario.Inject("stall");
  // One write fills the queue, so that only the watch of the cache is behind the following floor.
  scenario.Put(fat, {8192, 8192});
  scenario.AwaitEffect("stall");
  const Write deletion = scenario.Delete(key);
  scenario.Compact(deletion);
  scenario.Hold(20ms, 60ms);
  scenario.Heal("stall");
  scenario.AwaitDelivered("cache");
}

// A cache that receives a deletion without the old object has to start over, and does not always
// notice that. A server can be configured never to send such an event: it ends the watch with
// ErrCompacted instead, which a cache handles.
constexpr std::size_t kStalled = 400;

WATCH_CASE(PreviousValue, StrictPreviousValues,
           {.requirement = "with strict previous values a watch ends with ErrCompacted instead of "
                           "an event without prev_kv (embedded store, --strict-prev-kv)",
            .explain = "A watch that asks for previous values is behind a full queue when its key "
                       "is deleted, and the store is compacted at that deletion before it can be "
                       "sent. The watch must receive the event with its previous value, or "
                       "ErrCompacted, but never the event without it.",
            .needs = {Capability::kProxy, Capability::kCompaction, Capability::kPreviousValues,
                      Capability::kStrictPreviousValues},
            .guarantees = {"PreviousValue", "Reliable"},
            .upstream = {10681}}) {
  const std::string key = scenario.Key("gone");
  const std::string fat = scenario.Key("fat");
  scenario.PutSome(key, {1, 4});
  scenario.Watch({.group = "watchers", .count = kStalled, .range = OneKey(fat)});
  scenario.Watch({.group = "cache", .range = OneKey(key), .options = {.prev_kv = true}});
  const std::string filler = scenario.Key("filler");
  scenario.Watch({.group = "filler", .count = kStalled / 2, .range = OneKey(filler)});
  scenario.AwaitCreated("watchers", "cache", "filler");
  scenario.Inject("stall");
  scenario.Put(fat, {8192, 8192});
  scenario.AwaitEffect("stall");
  // Fills the room that the sender has made in the queue meanwhile.
  scenario.Put(filler);
  const Write deletion = scenario.Delete(key);
  scenario.Compact(deletion);
  scenario.PermitCompactedAtTheFloor();
  scenario.Hold(20ms, 60ms);
  scenario.Heal("stall");
  scenario.AwaitDelivered("cache");
}

}  // namespace
}  // namespace watchproof
