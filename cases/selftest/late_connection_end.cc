// SPDX-License-Identifier: Apache-2.0
// The server is killed, and its clients learn of the closed connection only after a while. Until
// then they wait for a server that does not exist any more.
#include "cases/support/watch_case.h"

namespace watchproof {
namespace {

WATCH_CASE(Resumable, LateConnectionEnd,
           {.requirement = "a broken watch can be resumed by a new watch from after the last "
                           "event (etcd API, watch guarantees, resumable)",
            .explain = "The server is killed and restarted, and keys are written, before the "
                       "proxy forwards the end of the connection to the clients. Then they resume.",
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
