// SPDX-License-Identifier: Apache-2.0
// A client that stops reading must not delay another client. Watches on a second connection
// continue during the stall; those on the stalled stream continue when the stall ends.
#include "cases/support/watch_case.h"

namespace watchproof {
namespace {

WATCH_CASE(Isolated, StalledStream,
           {.requirement = "no watcher disturbs another (etcd, watchable store: slow watchers are "
                           "taken out of the live set)",
            .explain = "Many watches share a stalled stream while watches on a second connection "
                       "follow the same key. The second connection must deliver every event "
                       "during the stall. When the stall ends, every event must reach the stalled "
                       "stream too.",
            .level = Level::kMust,
            .needs = {Capability::kProxy},
            .guarantees = {"Isolated", "Reliable"}}) {
  const std::string key = scenario.Key("busy");
  Prng prng = scenario.Random("shape");
  scenario.Put(key);
  scenario.Watch({.group = "stalled", .count = 200, .range = OneKey(key)});
  scenario.Watch({.group = "free", .count = 20, .range = OneKey(key), .stream = "direct/free"});
  scenario.AwaitCreated("stalled");
  scenario.AwaitCreated("free");
  scenario.Hold(0ms, 30ms);
  scenario.Inject("stall");
  for (std::int64_t i = prng.Between(20, 40); i > 0; --i) scenario.Put(key, {1000, 4000});
  scenario.AwaitEffect("stall");
  for (std::int64_t i = prng.Between(5, 10); i > 0; --i) scenario.Put(key);
  scenario.Add(MustDeliverStep{"free"});
  scenario.Hold(0ms, 30ms);
  scenario.Heal("stall");
  scenario.Add(MustDeliverStep{"stalled"});
}

}  // namespace
}  // namespace watchproof
