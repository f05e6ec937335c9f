// SPDX-License-Identifier: Apache-2.0
// A cache needs the previous value to decide whether an object leaves its selection. As long as
// nothing is compacted the server has that value, so it must be sent.
#include "cases/support/watch_case.h"

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

}  // namespace
}  // namespace watchproof
