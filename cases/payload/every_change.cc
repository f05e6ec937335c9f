// SPDX-License-Identifier: Apache-2.0
// A cache needs the previous value to decide whether an object leaves its selection. As long as
// nothing is compacted the server has that value, so it must be sent.
#include "cases/support/watch_case.h"
#include "harness/scenario/steps/lease.h"

namespace watchproof {
namespace {

WATCH_CASE(PreviousValue, EveryChange,
           {.requirement = "prev_kv holds the key-value pair before the event happens (etcd API, "
                           "Event)",
            .explain = "Keys are put, put again, deleted and created anew, in transactions too, "
                       "while watches ask for previous values, live and from history. Nothing is "
                       "compacted: every change of an existing key must carry exactly the "
                       "previous value, and every creation none.",
            .level = Level::kMust,
            .needs = {Capability::kPreviousValues},
            .guarantees = {"PreviousValue", "Reliable"}}) {
  Prng prng = scenario.Random("shape");
  const std::string stem = scenario.Key("before");
  std::vector<std::string> keys;
  for (std::int64_t i = prng.Between(3, 6); i > 0; --i) keys.push_back(scenario.Key(stem));
  const Write first = scenario.PutTogether(keys);
  scenario.Watch(
      {.group = "live", .count = 2, .range = Prefix(stem + "/"), .options = {.prev_kv = true}});
  scenario.Watch({.group = "without", .range = Prefix(stem + "/")});
  scenario.AwaitCreated("live");
  scenario.AwaitCreated("without");
  for (std::int64_t i = prng.Between(15, 30); i > 0; --i) {
    const std::string& key = prng.Pick(keys);
    scenario.Put(key);
    if (prng.Chance(0.4)) {
      scenario.Delete(key);
      scenario.Put(key);
    }
    if (prng.Chance(0.2)) scenario.PutTogether(keys);
  }
  scenario.Delete(keys.front());
  scenario.Watch({.group = "late",
                  .count = 2,
                  .range = Prefix(stem + "/"),
                  .start = first.revision(),
                  .options = {.prev_kv = true}});
  scenario.AwaitCreated("late");
  scenario.AwaitDelivered("live");
  scenario.AwaitDelivered("late");
}

WATCH_CASE(PreviousValue, EndOfALease,
           {.requirement = "prev_kv holds the key-value pair before the event happens (etcd API, "
                           "Event), also when the end of a lease deletes the key (LeaseRevoke)",
            .explain = "Keys are put on leases and moved from one to the other. The leases are "
                       "revoked, another one expires. Every deletion must carry "
                       "the previous value with its revisions and its lease, live and from "
                       "history.",
            .level = Level::kMust,
            .needs = {Capability::kPreviousValues, Capability::kLeases},
            .guarantees = {"PreviousValue", "Leased", "Reliable"}}) {
  Prng prng = scenario.Random("shape");
  const std::string stem = scenario.Key("leased");
  const std::vector<std::string> leases = {"first", "second"};
  for (const std::string& lease : leases) scenario.Add(LeaseStep{lease, 60s});
  scenario.Watch(
      {.group = "live", .count = 2, .range = Prefix(stem + "/"), .options = {.prev_kv = true}});
  scenario.AwaitCreated("live");
  const Write begin = scenario.Put(scenario.Key(stem));
  for (std::int64_t i = prng.Between(6, 12); i > 0; --i) {
    const std::string key = scenario.Key(stem);
    scenario.PutOnLease(key, prng.Pick(leases));
    if (prng.Chance(0.5)) scenario.PutOnLease(key, prng.Pick(leases));
  }
  for (const std::string& lease : leases) {
    scenario.PutOnLease(scenario.Key(stem), lease);
    scenario.Add(RevokeStep{lease});
  }
  scenario.Add(LeaseStep{"expires", 5s});
  scenario.PutOnLease(scenario.Key(stem), "expires");
  scenario.Add(AwaitExpiredStep{"expires"});
  scenario.Watch({.group = "late",
                  .count = 2,
                  .range = Prefix(stem + "/"),
                  .start = begin.revision(),
                  .options = {.prev_kv = true}});
  scenario.AwaitCreated("late");
  for (const char* group : {"live", "late"}) scenario.AwaitDelivered(group);
  scenario.Require("live", RequireStep::Fact::kReceived);
}

}  // namespace
}  // namespace watchproof
