// SPDX-License-Identifier: Apache-2.0
// Many clients read and write a few keys concurrently. There must be one order of their calls that
// explains every answer, and watches must receive the changes in that order.
#include "cases/support/watch_case.h"

namespace watchproof {
namespace {

WATCH_CASE(Linearizable, ConcurrentClients,
           {.requirement = "key-value calls are strictly serializable, and watches deliver their "
                           "changes in order (etcd API, KV and watch guarantees)",
            .explain = "Sixteen clients put, delete, read and compare a few keys concurrently, "
                       "with linearizable and serializable reads, under open watches. Every "
                       "answer is compared with the state at the revision that it names.",
            .guarantees = {"Linearizable", "Serializable", "Transactional", "MonotonicReads",
                           "Durable", "Reliable"}}) {
  const std::string stem = scenario.Key("turns");
  scenario.Open({.group = "all", .count = 5, .range = Below(stem), .options = {.prev_kv = true}});
  scenario.BeginLoad({.clients = 16,
                      .calls = static_cast<std::size_t>(scenario.Between(60, 120)),
                      .keys = static_cast<std::size_t>(scenario.Between(3, 12)),
                      .key = stem});
  scenario.AwaitLoad();
  scenario.AwaitDelivered("all");
}

}  // namespace
}  // namespace watchproof
