// SPDX-License-Identifier: Apache-2.0
// The response to a create is held back while the target already serves the watcher. Events from
// this time must come after that response.
#include "cases/support/watch_case.h"

namespace watchproof {
namespace {

WATCH_CASE(Reliable, HeldCreateResponse,
           {.requirement = "events are ordered, unique, atomic and never dropped (etcd API, watch "
                           "guarantees)",
            .explain = "The response to a create is held back while the key is written, then "
                       "released: the watcher must receive every write after it.",
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
