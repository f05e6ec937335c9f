// SPDX-License-Identifier: Apache-2.0
// ErrCompacted is the last response of a watch. A server that repeats it on every pass of its
// catch-up loop wastes time on both sides and delays watches that still have history to read.
#include "cases/support/watch_case.h"

namespace watchproof {
namespace {

constexpr std::size_t kMany = 600;
// On a busy machine the server may keep up with one burst, but hardly with all of them.
constexpr int kClients = 4;

WATCH_CASE(CompactionSurfaced, SingleNotice,
           {.requirement = "ErrCompacted ends a watch; nothing follows it (etcd API, "
                           "WatchResponse.canceled)",
            .explain = "Four clients, one after the other, create six hundred watches below the "
                       "floor each, more than a server handles in one pass of its catch-up loop. "
                       "Each watch must end with ErrCompacted exactly once. Servers that do not "
                       "remove a finished watch from the set of all watches send ErrCompacted "
                       "again on every pass (etcd #22294).",
            .level = Level::kMust,
            .needs = {Capability::kCompaction},
            .guarantees = {"CompactionSurfaced"},
            .upstream = {22294, 17529}}) {
  const std::string key = scenario.Key("once");
  Prng prng = scenario.Random("shape");
  const Write first = scenario.Put(key);
  for (std::int64_t i = prng.Between(6, 12); i > 0; --i) scenario.Put(key);
  const Write floor = scenario.Put(key);

  scenario.Compact(floor.revision());
  for (int i = 0; i < kClients; ++i) {
    const std::string client = fmt::format("client {}", i);
    scenario.Watch({.group = client,
                    .count = kMany,
                    .range = OneKey(key),
                    .start = first.revision(),
                    .stream = client});
    scenario.AwaitCreated(client);
  }
  // The server could repeat the cancellation in every further pass.
  scenario.Add(AwaitSyncPassesStep{6});
}

}  // namespace
}  // namespace watchproof
