// SPDX-License-Identifier: Apache-2.0
// The stream of the watches stands still while their connection is alive. When it goes on,
// everything must come, in order.
#include "cases/support/watch_case.h"

namespace watchproof {
namespace {

void StandStill(Scenario& scenario, const std::string& fault, int puts, ValueSize size) {
  const std::string key = scenario.Key("held");
  scenario.Put(key);
  scenario.Watch({.group = "held", .count = 50, .range = OneKey(key)});
  scenario.AwaitCreated("held");
  scenario.Inject(fault);
  for (int i = 0; i < puts; ++i) scenario.Put(key, size);
  scenario.AwaitEffect(fault);
  scenario.Heal(fault);
  scenario.Put(key);
  scenario.AwaitDelivered("held");
}

WATCH_CASE(Reliable, MissesNothingWhenItsStreamIsHeldBack,
           {.requirement = "events are ordered, unique, atomic and never dropped (etcd API, watch "
                           "guarantees)",
            .explain = "What the target says on the stream is held back by the proxy until the "
                       "target, or the silence, shows it; pings and other streams pass. Then it "
                       "all flows.",
            .level = Level::kMust,
            .needs = {Capability::kProxy},
            .guarantees = {"Reliable", "Ordered", "Unique"}}) {
  StandStill(scenario, "hold-stream", 20, {100, 1000});
}

WATCH_CASE(Reliable, MissesNothingWhenItsWindowIsWithheld,
           {.requirement = "events are ordered, unique, atomic and never dropped (etcd API, watch "
                           "guarantees)",
            .explain = "The client takes everything, but updates of the window of the stream are "
                       "kept back until the target has used up what it has and stands still. "
                       "Then they are handed over.",
            .level = Level::kMust,
            .needs = {Capability::kProxy},
            .guarantees = {"Reliable", "Ordered", "Unique"}}) {
  StandStill(scenario, "withhold-window", 60, {2000, 4000});
}

}  // namespace
}  // namespace watchproof
