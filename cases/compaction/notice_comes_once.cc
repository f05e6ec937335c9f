// SPDX-License-Identifier: Apache-2.0
// ErrCompacted is the last word about a watch. A server that repeats it on every pass wastes its
// own time and its clients', and starves the watches that still have history to read.
#include "cases/support/watch_case.h"

namespace watchproof {
namespace {

constexpr std::size_t kMany = 600;
// A server that is short of processor time may take one burst for a trickle; hardly all of them.
constexpr int kClients = 4;

WATCH_CASE(CompactionSurfaced, NoticeComesOnce,
           {.requirement = "ErrCompacted ends a watch; nothing follows it (etcd API, "
                           "WatchResponse.canceled)",
            .explain = "Four clients, one after the other, create six hundred watches below the "
                       "floor each, more than a server handles in one pass of its catch-up loop. "
                       "Each watch must be told once. "
                       "Servers that forget to take a finished watch out of the whole set tell it "
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
  // Every further pass is an occasion to repeat the notice.
  scenario.AwaitSyncPasses(6);
}

}  // namespace
}  // namespace watchproof
