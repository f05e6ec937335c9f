// SPDX-License-Identifier: Apache-2.0
// A connection is reset in the middle of a burst. The client opens its watches again, one past the
// last revision it received, and must receive every later event exactly once.
#include "cases/support/watch_case.h"

namespace watchproof {
namespace {

WATCH_CASE(Resumable, ConnectionReset,
           {.requirement = "a broken watch can be resumed by a new watch from after the last "
                           "event (etcd API, watch guarantees, resumable)",
            .explain = "Watches are open while keys are written, the connection is reset, more is "
                       "written, and the watches are resumed on a new connection. Together, the "
                       "watches before and after the reset must have received every event, once.",
            .level = Level::kMust,
            .needs = {Capability::kProxy},
            .guarantees = {"Resumable", "Reliable", "Unique"}}) {
  Prng prng = scenario.Random("shape");
  const std::string stem = scenario.Key("broken");
  std::vector<std::string> keys;
  for (std::int64_t i = prng.Between(4, 8); i > 0; --i) keys.push_back(scenario.Key(stem));
  const auto write = [&] {
    for (std::int64_t i = prng.Between(20, 60); i > 0; --i) {
      prng.Chance(0.2) ? scenario.PutTogether(keys) : scenario.Put(prng.Pick(keys));
    }
  };
  write();
  scenario.Watch({.group = "first", .count = 10, .range = Prefix(stem + "/")});
  scenario.Watch({.group = "first", .count = 10, .range = OneKey(keys.front())});
  scenario.AwaitCreated("first");
  write();
  scenario.Inject("reset");
  write();
  scenario.AwaitEffect("reset");
  scenario.Heal("reset");
  scenario.Resume("first", "second");
  write();
  scenario.AwaitDelivered("second");
}

}  // namespace
}  // namespace watchproof
