// SPDX-License-Identifier: Apache-2.0
// A deletion ends the generation of a key. The next put creates the key anew: its create revision
// is the revision of that put and its version is 1. Locks, caches and compare-and-swap loops depend
// on both.
#include "cases/support/watch_case.h"

namespace watchproof {
namespace {

WATCH_CASE(Fields, RecreatedKey,
           {.requirement = "create_revision is the revision of the last creation, and a deletion "
                           "resets the version to zero (etcd API, KeyValue)",
            .explain = "Keys are put, changed, deleted and put again, several times over, alone "
                       "and in transactions, while they are watched live and from history. Each "
                       "event must carry the create revision and the version of its own "
                       "generation of the key; a deletion carries neither.",
            .level = Level::kMust,
            .needs = {},
            .guarantees = {"Fields", "Reliable"}}) {
  Prng prng = scenario.Random("shape");
  const std::string stem = scenario.Key("generations");
  std::vector<std::string> keys;
  for (std::int64_t i = prng.Between(2, 4); i > 0; --i) keys.push_back(scenario.Key(stem));
  const Write first = scenario.PutTogether(keys);
  scenario.Watch({.group = "live", .range = Prefix(stem + "/")});
  scenario.AwaitCreated("live");
  for (std::int64_t generation = prng.Between(4, 8); generation > 0; --generation) {
    const std::string& key = prng.Pick(keys);
    for (std::int64_t i = prng.Between(1, 4); i > 0; --i) scenario.Put(key);
    scenario.Delete(key);
    prng.Chance(0.5) ? scenario.PutTogether(keys) : scenario.Put(key);
    scenario.Put(key);
  }
  scenario.Watch({.group = "late", .range = Prefix(stem + "/"), .start = first.revision()});
  scenario.AwaitCreated("late");
  scenario.AwaitDelivered("live");
  scenario.AwaitDelivered("late");
}

}  // namespace
}  // namespace watchproof
