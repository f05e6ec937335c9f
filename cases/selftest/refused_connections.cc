// SPDX-License-Identifier: Apache-2.0
// The connection is reset, and for a while new connections are refused. Watches that are resumed
// later must not miss any event.
#include "cases/support/watch_case.h"

namespace watchproof {
namespace {

WATCH_CASE(Resumable, RefusedConnections,
           {.requirement = "a broken watch can be resumed by a new watch from after the last "
                           "event (etcd API, watch guarantees, resumable)",
            .explain = "New connections are refused while the existing one is reset and keys are "
                       "written. Then the watches are resumed.",
            .level = Level::kMust,
            .needs = {Capability::kProxy},
            .guarantees = {"Resumable", "Reliable", "Unique"}}) {
  Prng prng = scenario.Random("shape");
  const std::string key = scenario.Key("refused");
  scenario.Put(key);
  scenario.Watch({.group = "first", .count = 5, .range = OneKey(key)});
  scenario.AwaitCreated("first");
  scenario.Inject("refuse");
  scenario.AwaitEffect("refuse");
  scenario.Inject("reset");
  for (std::int64_t i = prng.Between(10, 30); i > 0; --i) scenario.Put(key);
  scenario.AwaitEffect("reset");
  scenario.Heal("reset");
  scenario.Heal("refuse");
  scenario.Resume("first", "second");
  for (std::int64_t i = prng.Between(1, 10); i > 0; --i) scenario.Put(key);
  scenario.AwaitDelivered("second");
}

}  // namespace
}  // namespace watchproof
