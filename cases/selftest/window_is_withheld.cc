// SPDX-License-Identifier: Apache-2.0
// The client takes everything, but the target is not told that there is room again. When it is,
// everything must come, in order.
#include "cases/support/watch_case.h"

namespace watchproof {
namespace {

WATCH_CASE(Reliable, MissesNothingWhenItsWindowIsWithheld,
           {.requirement = "events are ordered, unique, atomic and never dropped (etcd API, watch "
                           "guarantees)",
            .explain = "Updates of the window of the stream are kept back until the target has "
                       "used up what it has and stands still. Then they are handed over.",
            .level = Level::kMust,
            .needs = {Capability::kProxy},
            .guarantees = {"Reliable", "Ordered", "Unique"}}) {
  const std::string key = scenario.Key("held");
  scenario.Put(key);
  scenario.Watch({.group = "held", .count = 50, .range = OneKey(key)});
  scenario.AwaitCreated("held");
  scenario.Inject("withhold-window");
  for (int i = 0; i < 60; ++i) scenario.Put(key, {2000, 4000});
  scenario.AwaitFelt("withhold-window");
  scenario.Heal("withhold-window");
  scenario.Put(key);
  scenario.AwaitDelivered("held");
}

}  // namespace
}  // namespace watchproof
