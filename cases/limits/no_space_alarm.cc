// SPDX-License-Identifier: Apache-2.0
// A server that has exceeded its space quota rejects puts. Its watches must not be affected:
// deletes are still delivered, and so are puts once there is space again.
#include "cases/support/watch_case.h"

namespace watchproof {
namespace {

WATCH_CASE(Reliable, NoSpaceAlarm,
           {.requirement = "events are ordered, unique, atomic and never dropped (etcd API, watch "
                           "guarantees); deletes are taken while the space alarm is raised (etcd "
                           "operations guide, space quota)",
            .explain = "Keys are deleted and watches are opened while the NOSPACE alarm is raised "
                       "and puts are rejected. Then the alarm is disarmed and keys are put again.",
            .level = Level::kMust,
            .needs = {Capability::kCompaction, Capability::kServerOfItsOwn},
            .guarantees = {"Reliable", "Ordered", "Unique"}}) {
  Prng prng = scenario.Random("shape");
  const std::string stem = scenario.Key("full");
  std::vector<std::string> keys;
  for (std::int64_t i = prng.Between(5, 20); i > 0; --i) keys.push_back(scenario.Key(stem));
  const Write first = scenario.Put(keys.front());
  for (const std::string& key : keys) scenario.Put(key);
  scenario.Watch({.group = "before", .count = 5, .range = Prefix(stem + "/")});
  scenario.AwaitCreated("before");
  scenario.Inject("no-space");
  for (std::size_t i = 0; i < keys.size() / 2; ++i) scenario.Delete(keys[i]);
  scenario.Watch(
      {.group = "during", .count = 5, .range = Prefix(stem + "/"), .start = first.revision()});
  scenario.AwaitCreated("during");
  scenario.AwaitDelivered("before");
  scenario.AwaitDelivered("during");
  scenario.Heal("no-space");
  for (const std::string& key : keys) scenario.Put(key);
  scenario.AwaitDelivered("during");
}

}  // namespace
}  // namespace watchproof
