// SPDX-License-Identifier: Apache-2.0
// The stream of the watches is blocked while their connection is alive. When it continues, every
// event must arrive in order.
#include "cases/support/watch_case.h"

namespace watchproof {
namespace {

void BlockStream(Scenario& scenario, const std::string& fault, int puts, ValueSize size) {
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

WATCH_CASE(Reliable, HeldStream,
           {.requirement = "events are ordered, unique, atomic and never dropped (etcd API, watch "
                           "guarantees)",
            .explain = "The proxy holds back the target's messages on the stream until the "
                       "target's metrics, or silence on the stream, confirm it; pings and other "
                       "streams pass. Then the stream is released.",
            .level = Level::kMust,
            .needs = {Capability::kProxy},
            .guarantees = {"Reliable", "Ordered", "Unique"}}) {
  BlockStream(scenario, "hold-stream", 20, {100, 1000});
}

WATCH_CASE(Reliable, WithheldWindow,
           {.requirement = "events are ordered, unique, atomic and never dropped (etcd API, watch "
                           "guarantees)",
            .explain = "The client reads everything, but the proxy withholds the window updates "
                       "of its stream until the target has used up its window and stops sending. "
                       "Then they are forwarded.",
            .level = Level::kMust,
            .needs = {Capability::kProxy},
            .guarantees = {"Reliable", "Ordered", "Unique"}}) {
  BlockStream(scenario, "withhold-window", 60, {2000, 4000});
}

}  // namespace
}  // namespace watchproof
