// SPDX-License-Identifier: Apache-2.0
// A client does not hear that it has a watcher while the target already works for it. What happens
// in between must come behind the answer.
#include "cases/support/watch_case.h"

namespace watchproof {
namespace {

WATCH_CASE(Reliable, MissesNothingWhenItsCreationIsHeldBack,
           {.requirement = "events are ordered, unique, atomic and never dropped (etcd API, watch "
                           "guarantees)",
            .explain = "The answer to a create is held back while the key is written, then let "
                       "go: the watcher must get every write behind it.",
            .level = Level::kMust,
            .needs = {Capability::kProxy},
            .guarantees = {"Reliable", "Ordered", "Unique"}}) {
  const std::string key = scenario.Key("held");
  const Write first = scenario.Put(key);
  scenario.Inject("hold-created");
  scenario.Watch({.group = "held", .range = OneKey(key), .start = first.revision()});
  for (int i = 0; i < 10; ++i) scenario.Put(key);
  scenario.AwaitEffect("hold-created");
  scenario.Heal("hold-created");
  scenario.AwaitCreated("held");
  scenario.Put(key);
  scenario.AwaitDelivered("held");
}

}  // namespace
}  // namespace watchproof
