// SPDX-License-Identifier: Apache-2.0
// The server dies, and its clients hear of it only after a while: until then they wait for somebody
// who is not there any more.
#include "cases/support/watch_case.h"

namespace watchproof {
namespace {

WATCH_CASE(Resumable, MissesNothingWhenTheEndIsHeardLate,
           {.requirement = "a broken watch can be resumed by a new watch from after the last "
                           "event (etcd API, watch guarantees, resumable)",
            .explain = "The server is killed and started again, and keys are written, before the "
                       "clients are told that their connection has ended. Then they resume.",
            .level = Level::kMust,
            .needs = {Capability::kProxy, Capability::kDurable},
            .guarantees = {"Resumable", "Reliable", "Unique"}}) {
  Prng prng = scenario.Random("shape");
  const std::string key = scenario.Key("late");
  scenario.Put(key);
  scenario.Watch({.group = "first", .count = 5, .range = OneKey(key)});
  scenario.AwaitCreated("first");
  scenario.AwaitDelivered("first");
  scenario.Inject("late-end", {{"delay", "1s"}});
  scenario.Inject("kill");
  for (std::int64_t i = prng.Between(10, 30); i > 0; --i) scenario.Put(key);
  scenario.AwaitEffect("kill");
  scenario.AwaitEffect("late-end");
  scenario.Heal("kill");
  scenario.Heal("late-end");
  scenario.Resume("first", "second");
  for (std::int64_t i = prng.Between(1, 10); i > 0; --i) scenario.Put(key);
  scenario.AwaitDelivered("second");
}

}  // namespace
}  // namespace watchproof
