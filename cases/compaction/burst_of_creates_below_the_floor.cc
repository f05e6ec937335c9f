// SPDX-License-Identifier: Apache-2.0
// A client that comes back after a long absence re-creates all its watches at once. If all of them
// lie below the floor, the notices alone fill the queue of the stream, and none may get lost.
#include "cases/support/watch_case.h"

namespace watchproof {
namespace {

constexpr std::size_t kBurst = 200;
// A server that is short of processor time may take one burst for a trickle; hardly all of them.
constexpr int kClients = 5;

WATCH_CASE(CompactionSurfaced, BurstOfCreatesBelowTheFloor,
           {.requirement = "a watch below the compaction floor ends with ErrCompacted (etcd API "
                           "guarantees)",
            .explain = "Five clients, one after the other, create two hundred watches below the "
                       "floor each, without waiting for answers. Each watch must end with "
                       "ErrCompacted. Servers that drop a "
                       "notice when the queue is full answer the first 129 and let the others go "
                       "on as if nothing had been missed (etcd #17529).",
            .level = Level::kMust,
            .needs = {Capability::kCompaction},
            .guarantees = {"CompactionSurfaced"},
            .upstream = {17529}}) {
  const std::string key = scenario.Key("burst");
  Prng prng = scenario.Random("shape");
  const Write first = scenario.Put(key);
  for (std::int64_t i = prng.Between(6, 12); i > 0; --i) scenario.Put(key);
  const Write floor = scenario.Put(key);
  for (std::int64_t i = prng.Between(1, 3); i > 0; --i) scenario.Put(key);

  scenario.Compact(floor.revision());
  for (int i = 0; i < kClients; ++i) {
    const std::string client = fmt::format("client {}", i);
    scenario.Watch({.group = client,
                    .count = kBurst,
                    .range = OneKey(key),
                    .start = first.revision(),
                    .stream = client});
    scenario.AwaitCreated(client);
    // One burst is dealt with before the next: together they would be more than one pass takes,
    // which is another case.
    scenario.AwaitSyncPasses(2);
  }
}

}  // namespace
}  // namespace watchproof
