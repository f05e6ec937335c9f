// SPDX-License-Identifier: Apache-2.0
// Defragmentation rewrites the backend and may block the server for a while. Watches that catch up
// from this backend must not miss an event.
#include "cases/support/watch_case.h"

namespace watchproof {
namespace {

constexpr ValueSize kLarge{8'000, 16'000};

WATCH_CASE(Reliable, Defragmentation,
           {.requirement = "events are ordered, unique, atomic and never dropped (etcd API, watch "
                           "guarantees)",
            .explain = "History is compacted and the backend is defragmented while clients write "
                       "and watches read the remaining history.",
            .level = Level::kMust,
            .needs = {Capability::kCompaction, Capability::kDurable},
            .guarantees = {"Reliable", "Ordered", "Unique"}}) {
  Prng prng = scenario.Random("shape");
  const std::string key = scenario.Key("moved");
  for (std::int64_t i = prng.Between(60, 90); i > 0; --i) scenario.Put(key, kLarge);
  scenario.Compact(AtHead());
  const Write next = scenario.Put(key);
  scenario.Watch({.group = "before", .count = 10, .range = OneKey(key)});
  scenario.AwaitCreated("before");
  scenario.BeginLoad({.clients = 2, .calls = 60, .keys = 3, .key = scenario.Key("load")});
  scenario.Watch({.group = "late", .count = 20, .range = OneKey(key), .start = next.revision()});
  scenario.Inject("defragment");
  scenario.AwaitEffect("defragment");
  for (std::int64_t i = prng.Between(5, 15); i > 0; --i) scenario.Put(key);
  scenario.AwaitLoad();
  scenario.AwaitDelivered("before");
  scenario.AwaitDelivered("late");
}

}  // namespace
}  // namespace watchproof
