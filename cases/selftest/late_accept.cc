// SPDX-License-Identifier: Apache-2.0
// The proxy accepts new connections late. Events that are written meanwhile must reach the watches
// that wait for a connection.
#include "cases/support/watch_case.h"

namespace watchproof {
namespace {

WATCH_CASE(Reliable, LateAccept,
           {.requirement = "events are ordered, unique, atomic and never dropped (etcd API, watch "
                           "guarantees)",
            .explain = "Watches from the past are opened on a connection that the proxy accepts "
                       "late.",
            .level = Level::kMust,
            .needs = {Capability::kProxy},
            .guarantees = {"Reliable", "Ordered", "Unique"}}) {
  Prng prng = scenario.Random("shape");
  const std::string key = scenario.Key("late");
  const Write first = scenario.Put(key);
  scenario.Inject("late-accept", {{"delay", fmt::format("{}ms", prng.Between(100, 300))}});
  for (std::int64_t i = prng.Between(10, 30); i > 0; --i) scenario.Put(key);
  scenario.Watch({.group = "late", .count = 5, .range = OneKey(key), .start = first.revision()});
  scenario.AwaitCreated("late");
  scenario.AwaitEffect("late-accept");
  scenario.Heal("late-accept");
  for (std::int64_t i = prng.Between(1, 10); i > 0; --i) scenario.Put(key);
  scenario.AwaitDelivered("late");
}

}  // namespace
}  // namespace watchproof
