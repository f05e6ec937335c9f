// SPDX-License-Identifier: Apache-2.0
// When a reader stops, the queue of its stream is full after 128 responses, and the server must
// keep track of all further events in another way. When the reader continues, no event may be
// missing, duplicated or out of order.
#include "cases/support/watch_case.h"

namespace watchproof {
namespace {

constexpr std::size_t kWatchers = 1000;

WATCH_CASE(Reliable, StallWithThousandWatchers,
           {.requirement = "events are ordered, unique, atomic and never dropped (etcd API, watch "
                           "guarantees)",
            .explain = "A thousand watches of one key share a stream that is stalled while the "
                       "key is written. After the stall each watch must have received every "
                       "write, once and in order.",
            .level = Level::kMust,
            .needs = {Capability::kProxy},
            .guarantees = {"Reliable", "Ordered", "Unique"}}) {
  const std::string key = scenario.Key("shared");
  Prng prng = scenario.Random("shape");
  scenario.Put(key);
  scenario.Watch({.group = "thousand", .count = kWatchers, .range = OneKey(key)});
  scenario.AwaitCreated("thousand");
  scenario.Hold(0ms, 30ms);
  scenario.Inject("stall");
  for (std::int64_t i = prng.Between(25, 40); i > 0; --i) scenario.Put(key, {200, 2000});
  scenario.AwaitEffect("stall");
  scenario.Hold(0ms, 50ms);
  scenario.Heal("stall");
  for (std::int64_t i = prng.Between(1, 5); i > 0; --i) scenario.Put(key);
}

}  // namespace
}  // namespace watchproof
