// SPDX-License-Identifier: Apache-2.0
// Connections that are reset in the middle of writes.
#include "cases/support/watch_case.h"

namespace watchproof {
namespace {

WATCH_CASE(Resumable, ConnectionReset,
           {.requirement = kBrokenWatch,
            .explain = "Watches are open while keys are written, the connection is reset, more is "
                       "written, and the watches are resumed on a new connection. Together, the "
                       "watches before and after the reset must have received every event, once.",
            .needs = {Capability::kProxy},
            .guarantees = {"Resumable", "Reliable", "Unique"}}) {
  const std::string stem = scenario.Key("broken");
  std::vector<std::string> keys = scenario.Keys(stem, {4, 8});
  const auto write = [&] {
    for (std::int64_t i = scenario.Between(20, 60); i > 0; --i) {
      scenario.Chance(0.2) ? scenario.PutTogether(keys) : scenario.Put(scenario.Pick(keys));
    }
  };
  write();
  scenario.Watch({.group = "first", .count = 10, .range = Below(stem)});
  scenario.Open({.group = "first", .count = 10, .range = OneKey(keys.front())});
  write();
  scenario.Inject("reset");
  write();
  scenario.AwaitEffectAndHeal("reset");
  scenario.Resume("first", "second");
  write();
  scenario.AwaitDelivered("second");
}

WATCH_CASE(Linearizable, UnansweredCalls,
           {.requirement = "key-value calls are strictly serializable, whatever becomes of their "
                           "connection (etcd API, KV guarantees)",
            .explain = "Clients put, delete, read and compare a few keys over a path with latency "
                       "on which all connections are reset. The outcome of an unanswered write "
                       "follows from what other clients read; all answers must fit one order.",
            .needs = {Capability::kProxy},
            .guarantees = {"Linearizable", "Serializable", "Transactional", "MonotonicReads",
                           "Durable", "Resumable"}}) {
  const std::string stem = scenario.Key("lost");
  scenario.Open({.group = "first", .count = 5, .range = Below(stem)});
  // Each call takes at least two of these delays, so that the reset falls into the load.
  scenario.Inject("latency", {{"delay", fmt::format("{}us", scenario.Between(1000, 2500))}});
  scenario.AwaitEffect("latency");
  scenario.BeginLoad({.clients = 8,
                      .calls = static_cast<std::size_t>(scenario.Between(250, 400)),
                      .keys = static_cast<std::size_t>(scenario.Between(3, 8)),
                      .key = stem});
  scenario.Hold(50ms, 300ms);
  scenario.Disturb("reset");
  scenario.Resume("first", "second");
  scenario.Heal("latency");
  scenario.Add(AwaitLoadStep{.lost = true});
  scenario.AwaitDelivered("second");
}

}  // namespace
}  // namespace watchproof
