// SPDX-License-Identifier: Apache-2.0
// The stream of the watches stands still while their connection is alive. When it goes on,
// everything must come, in order.
#include "cases/support/watch_case.h"

namespace watchproof {
namespace {

WATCH_CASE(Reliable, MissesNothingWhenItsStreamIsHeldBack,
           {.requirement = "events are ordered, unique, atomic and never dropped (etcd API, watch "
                           "guarantees)",
            .explain = "What the target says on the stream is held back by the proxy until the "
                       "target, or the silence, shows it; pings and other streams pass. Then it "
                       "all flows.",
            .level = Level::kMust,
            .needs = {Capability::kProxy},
            .guarantees = {"Reliable", "Ordered", "Unique"}}) {
  const std::string key = scenario.Key("held");
  scenario.Put(key);
  scenario.Watch({.group = "held", .count = 50, .range = OneKey(key)});
  scenario.AwaitCreated("held");
  scenario.Inject("hold-stream");
  for (int i = 0; i < 20; ++i) scenario.Put(key, {100, 1000});
  scenario.AwaitFelt("hold-stream");
  scenario.Heal("hold-stream");
  scenario.Put(key);
  scenario.AwaitDelivered("held");
}

}  // namespace
}  // namespace watchproof
