// SPDX-License-Identifier: Apache-2.0
// Faults that only hold something up: the watches go on.
#include "cases/support/watch_case.h"

namespace watchproof {
namespace {

// The stream of the watches is blocked while their connection is alive. When it continues, every
// event must arrive in order.
void BlockStream(Scenario& scenario, const std::string& fault, int puts, ValueSize size) {
  const std::string key = scenario.Key("held");
  scenario.Put(key);
  scenario.Open({.group = "held", .count = 50, .range = OneKey(key)});
  scenario.Inject(fault);
  for (int i = 0; i < puts; ++i) scenario.Put(key, size);
  scenario.AwaitEffectAndHeal(fault);
  scenario.Put(key);
  scenario.AwaitDelivered("held");
}

WATCH_CASE(Reliable, HeldStream,
           {.requirement = kWatchGuarantees,
            .explain = "The proxy holds back the target's messages on the stream until the "
                       "target's metrics, or silence on the stream, confirm it; pings and other "
                       "streams pass. Then the stream is released.",
            .needs = {Capability::kProxy},
            .guarantees = {"Reliable", "Ordered", "Unique"}}) {
  BlockStream(scenario, "hold-stream", 20, {100, 1000});
}

WATCH_CASE(Reliable, WithheldWindow,
           {.requirement = kWatchGuarantees,
            .explain = "The client reads everything, but the proxy withholds the window updates "
                       "of its stream until the target has used up its window and stops sending. "
                       "Then they are forwarded.",
            .needs = {Capability::kProxy},
            .guarantees = {"Reliable", "Ordered", "Unique"}}) {
  BlockStream(scenario, "withhold-window", 60, {2000, 4000});
}

WATCH_CASE(Reliable, HeldCreateResponse,
           {.requirement = kWatchGuarantees,
            .explain = "The response to a create is held back while the key is written, then "
                       "released: the watcher must receive every write after it.",
            .needs = {Capability::kProxy},
            .guarantees = {"Reliable", "Ordered", "Unique"}}) {
  const std::string key = scenario.Key("held");
  const Write first = scenario.Put(key);
  scenario.Inject("hold-created");
  scenario.Watch({.group = "held", .range = OneKey(key), .start = first});
  for (int i = 0; i < 10; ++i) scenario.Put(key);
  scenario.AwaitEffectAndHeal("hold-created");
  scenario.AwaitCreated("held");
  scenario.Put(key);
  scenario.AwaitDelivered("held");
}

// The proxy accepts new connections late. Events that are written meanwhile must reach the watches
// that wait for a connection.
WATCH_CASE(Reliable, LateAccept,
           {.requirement = kWatchGuarantees,
            .explain = "Watches from the past are opened on a connection that the proxy accepts "
                       "late.",
            .needs = {Capability::kProxy},
            .guarantees = {"Reliable", "Ordered", "Unique"}}) {
  const std::string key = scenario.Key("late");
  const Write first = scenario.Put(key);
  scenario.Inject("late-accept", {{"delay", fmt::format("{}ms", scenario.Between(100, 300))}});
  scenario.PutSome(key, {10, 30});
  scenario.Open({.group = "late", .count = 5, .range = OneKey(key), .start = first});
  scenario.AwaitEffectAndHeal("late-accept");
  scenario.PutSome(key, {1, 10});
  scenario.AwaitDelivered("late");
}

WATCH_CASE(Reliable, PausedTarget,
           {.requirement = kWatchGuarantees,
            .explain = "The process of the target is paused and continued while clients write. "
                       "Calls and watches wait meanwhile, then all of them continue.",
            .needs = {Capability::kProcess},
            .guarantees = {"Reliable", "Ordered", "Unique"}}) {
  const std::string stem = scenario.Key("paused");
  scenario.Open({.group = "all", .count = 20, .range = Below(stem)});
  scenario.BeginLoad({.clients = 2, .calls = 200, .key = stem, .direct = true});
  scenario.Disturb("pause");
  scenario.AwaitLoad();
  scenario.Put(stem + "/0");
  scenario.AwaitDelivered("all");
}

}  // namespace
}  // namespace watchproof
