// SPDX-License-Identifier: Apache-2.0
// A client that reconnects after a long absence re-creates all its watches at once. If all of them
// start below the compaction floor, the cancellations alone fill the queue of the stream. None of
// them may be lost.
#include "cases/support/watch_case.h"

namespace watchproof {
namespace {

constexpr std::size_t kBurst = 200;
// On a busy machine the server may empty its queue while one burst arrives, but hardly for all.
constexpr int kCreators = 5;

WATCH_CASE(CompactionSurfaced, CreateBurst,
           {.requirement = "a watch below the compaction floor ends with ErrCompacted (etcd API "
                           "guarantees)",
            .explain = "Five clients, one after the other, create two hundred watches below the "
                       "floor each, without waiting for answers. Each watch must end with "
                       "ErrCompacted. Servers that drop a cancellation when the queue is full "
                       "answer the first 129 and continue the others as if no event had been "
                       "missed (etcd #17529).",
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
  for (int i = 0; i < kCreators; ++i) {
    const std::string client = fmt::format("client {}", i);
    scenario.Watch({.group = client,
                    .count = kBurst,
                    .range = OneKey(key),
                    .start = first.revision(),
                    .stream = client});
    scenario.AwaitCreated(client);
    // Each burst is processed before the next one: together they would exceed one catch-up pass,
    // which is another case.
    scenario.Add(AwaitSyncPassesStep{2});
  }
}

}  // namespace
}  // namespace watchproof
