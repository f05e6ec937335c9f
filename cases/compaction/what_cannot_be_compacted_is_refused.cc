// SPDX-License-Identifier: Apache-2.0
// Compaction moves the floor up, never down, and never over the head. What was done already and
// what lies in the future is refused, and neither may cost any watch anything.
#include "cases/support/watch_case.h"

namespace watchproof {
namespace {

WATCH_CASE(CompactionSurfaced, WhatCannotBeCompactedIsRefused,
           {.requirement = "compaction at a revision that was compacted, or that does not exist "
                           "yet, is out of range (etcd API, KV service)",
            .explain = "The store is compacted some revisions below its head, at the same one "
                       "again, below it, in the future, and at its head, twice, while watches go "
                       "on. Only the first and the first at the head may be done; watches from "
                       "below the floor are told, all others are given everything.",
            .level = Level::kMust,
            .needs = {Capability::kCompaction},
            .guarantees = {"CompactionSurfaced", "Reliable"}}) {
  Prng prng = scenario.Random("shape");
  const std::string key = scenario.Key("floor");
  const Write first = scenario.Put(key);
  for (std::int64_t i = prng.Between(20, 40); i > 0; --i) scenario.Put(key);
  scenario.Watch({.group = "before", .count = 5, .range = OneKey(key)});
  scenario.AwaitCreated("before");
  const std::int64_t below = prng.Between(5, 10);
  scenario.Compact(AtHead(-below));
  scenario.MustRefuseCompaction(AtHead(-below));
  scenario.MustRefuseCompaction(AtHead(-below - 1));
  scenario.MustRefuseCompaction(AtHead(prng.Between(1, 1000)));
  scenario.Watch({.group = "told", .count = 3, .range = OneKey(key), .start = first.revision()});
  scenario.Watch({.group = "given", .range = OneKey(key), .start = AtHead(-below + 1)});
  scenario.AwaitCreated("given");
  scenario.Put(key);
  scenario.Compact(AtHead());
  scenario.MustRefuseCompaction(AtHead());
  scenario.Put(key);
  scenario.AwaitDelivered("before");
}

}  // namespace
}  // namespace watchproof
