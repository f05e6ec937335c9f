// SPDX-License-Identifier: Apache-2.0
// Servers read history in batches, etcd 1000 revisions at a time. A revision at the boundary of two
// batches can be lost between them.
#include "cases/support/watch_case.h"

namespace watchproof {
namespace {

constexpr std::int64_t kBatch = 1000;

WATCH_CASE(Reliable, BatchBoundary,
           {.requirement = "events are never dropped (etcd API, watch guarantees, reliable)",
            .explain = "Watches start exactly one batch of revisions in the past, one more, one "
                       "fewer, and two batches, and keys are written as soon as the watches have "
                       "been created. Each watch must receive every revision.",
            .guarantees = {"Reliable"}}) {
  const std::string key = scenario.Key("edge");
  const std::int64_t past = 2 * kBatch + scenario.Between(5, 20);
  for (std::int64_t i = 0; i < past; ++i) scenario.Put(key);
  const std::int64_t offset = scenario.Between(1, 4);
  for (const std::int64_t behind : {kBatch - 1, kBatch, kBatch + 1, 2 * kBatch, kBatch - offset}) {
    // From `behind` revisions in the past up to and including the head.
    scenario.Watch({.group = "late", .range = OneKey(key), .start = AtHead(1 - behind)});
  }
  scenario.AwaitCreated("late");
  scenario.PutSome(key, {3, 9});
  scenario.AwaitDelivered("late");
}

}  // namespace
}  // namespace watchproof
