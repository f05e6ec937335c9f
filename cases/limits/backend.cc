// SPDX-License-Identifier: Apache-2.0
// A backend that is full, or that is rewritten.
#include "cases/support/watch_case.h"

namespace watchproof {
namespace {

// Defragmentation rewrites the backend and may block the server for a while. Watches that catch up
// from this backend must not miss an event.
constexpr ValueSize kLarge{8'000, 16'000};

WATCH_CASE(Reliable, Defragmentation,
           {.requirement = kWatchGuarantees,
            .explain = "History is compacted and the backend is defragmented while clients write "
                       "and watches read the remaining history.",
            .needs = {Capability::kCompaction, Capability::kDurable},
            .guarantees = {"Reliable", "Ordered", "Unique"}}) {
  const std::string key = scenario.Key("moved");
  scenario.PutSome(key, {60, 90}, kLarge);
  scenario.Compact(AtHead());
  const Write next = scenario.Put(key);
  scenario.Open({.group = "before", .count = 10, .range = OneKey(key)});
  scenario.BeginLoad({.clients = 2, .calls = 60, .keys = 3, .key = scenario.Key("load")});
  scenario.Watch({.group = "late", .count = 20, .range = OneKey(key), .start = next});
  scenario.Inject("defragment");
  scenario.AwaitEffect("defragment");
  scenario.PutSome(key, {5, 15});
  scenario.AwaitLoad();
  scenario.AwaitDelivered("before", "late");
}

WATCH_CASE(Reliable, NoSpaceAlarm,
           {.requirement = "events are ordered, unique, atomic and never dropped (etcd API, watch "
                           "guarantees); deletes are taken while the space alarm is raised (etcd "
                           "operations guide, space quota)",
            .explain = "Keys are deleted and watches are opened while the NOSPACE alarm is raised "
                       "and puts are rejected. Then the alarm is disarmed and keys are put again.",
            .needs = {Capability::kCompaction, Capability::kServerOfItsOwn},
            .guarantees = {"Reliable", "Ordered", "Unique"}}) {
  const std::string stem = scenario.Key("full");
  std::vector<std::string> keys = scenario.Keys(stem, {5, 20});
  const Write first = scenario.Put(keys.front());
  for (const std::string& key : keys) scenario.Put(key);
  scenario.Open({.group = "before", .count = 5, .range = Below(stem)});
  scenario.Inject("no-space");
  for (std::size_t i = 0; i < keys.size() / 2; ++i) scenario.Delete(keys[i]);
  scenario.Open({.group = "during", .count = 5, .range = Below(stem), .start = first});
  scenario.AwaitDelivered("before", "during");
  scenario.Heal("no-space");
  for (const std::string& key : keys) scenario.Put(key);
  scenario.AwaitDelivered("during");
}

}  // namespace
}  // namespace watchproof
