// SPDX-License-Identifier: Apache-2.0
// A filter removes puts or deletions and nothing else: the remaining events must be complete and in
// order.
#include "cases/support/watch_case.h"

namespace watchproof {
namespace {

WATCH_CASE(Filtered, PutAndDeleteFilters,
           {.requirement = "filters remove exactly the named kind of event (etcd API, "
                           "WatchCreateRequest.filters)",
            .explain = "Watches without puts, without deletions and without a filter follow the "
                       "same writes, live and from history. Each must receive every event that "
                       "passes its filter, and no other.",
            .level = Level::kMust,
            .needs = {},
            .guarantees = {"Filtered", "Reliable"}}) {
  Prng prng = scenario.Random("shape");
  const std::string stem = scenario.Key("sieve");
  std::vector<std::string> keys;
  for (std::int64_t i = prng.Between(3, 6); i > 0; --i) keys.push_back(scenario.Key(stem));
  const Write first = scenario.PutTogether(keys);
  const WatchedRange range = Prefix(stem + "/");
  const auto watch = [&](const std::string& when, const RevisionRef& start) {
    scenario.Watch({.group = when, .range = range, .start = start});
    scenario.Watch({.group = when, .range = range, .start = start, .options = {.no_put = true}});
    scenario.Watch({.group = when, .range = range, .start = start, .options = {.no_delete = true}});
    scenario.AwaitCreated(when);
  };
  watch("live", FromNow());
  for (std::int64_t i = prng.Between(15, 30); i > 0; --i) {
    const std::string& key = prng.Pick(keys);
    scenario.Put(key);
    if (prng.Chance(0.5)) {
      scenario.Delete(key);
      scenario.Put(key);
    }
  }
  watch("late", first.revision());
  // Every watch can wait for one of these last events, whatever its filter.
  scenario.Put(keys.front());
  scenario.Delete(keys.front());
  scenario.Put(keys.front());
  scenario.Delete(keys.front());
}

}  // namespace
}  // namespace watchproof
