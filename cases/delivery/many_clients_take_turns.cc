// SPDX-License-Identifier: Apache-2.0
// Many clients read and write a few keys at the same time. However their calls fall together, each
// must have its place in one order, its answer must follow from it, and watches must be given that
// order.
#include "cases/support/watch_case.h"

namespace watchproof {
namespace {

WATCH_CASE(Linearizable, ManyClientsTakeTurns,
           {.requirement = "key-value calls are strictly serializable, and a watch is given what "
                           "they did in their order (etcd API, KV and watch guarantees)",
            .explain = "Sixteen clients put, delete, read and compare a few keys side by side, "
                       "with linearizable and serializable reads, while watches follow. Every "
                       "answer is laid beside the state of the revision that it names.",
            .level = Level::kMust,
            .guarantees = {"Linearizable", "Serializable", "Transactional", "MonotonicReads",
                           "Durable", "Reliable"}}) {
  Prng prng = scenario.Random("shape");
  const std::string stem = scenario.Key("turns");
  scenario.Watch(
      {.group = "all", .count = 5, .range = Prefix(stem + "/"), .previous_values = true});
  scenario.AwaitCreated("all");
  scenario.BeginLoad({.clients = 16,
                      .calls = static_cast<std::size_t>(prng.Between(60, 120)),
                      .keys = static_cast<std::size_t>(prng.Between(3, 12)),
                      .key = stem});
  scenario.AwaitLoad();
  scenario.AwaitDelivered("all");
}

}  // namespace
}  // namespace watchproof
