// SPDX-License-Identifier: Apache-2.0
// Watches are created and cancelled at once, again and again, on a stream with other watches. Each
// must be created once and end once, and the other watches must not be affected.
#include "cases/support/watch_case.h"

namespace watchproof {
namespace {

WATCH_CASE(Isolated, CreateCancelChurn,
           {.requirement = "a cancelled watch ends, and no watch disturbs another one of its "
                           "stream (etcd API, watch guarantees)",
            .explain = "Hundreds of watches, from now and from the past, are created and "
                       "cancelled at once, without waiting for an answer, while keys are written "
                       "and other watches of the stream are open.",
            .level = Level::kMust,
            .needs = {Capability::kClientChosenIds},
            .guarantees = {"Isolated", "Settled", "Reliable"}}) {
  Prng prng = scenario.Random("shape");
  const std::string key = scenario.Key("churned");
  const Write first = scenario.Put(key);
  for (std::int64_t i = prng.Between(10, 30); i > 0; --i) scenario.Put(key);
  scenario.Watch({.group = "neighbours", .count = 10, .range = OneKey(key), .first_id = 1});
  scenario.AwaitCreated("neighbours");
  for (std::int64_t round = 1; round <= 6; ++round) {
    scenario.Put(key);
    scenario.Add(ChurnStep{.group = fmt::format("round {}", round),
                           .count = static_cast<std::size_t>(prng.Between(20, 80)),
                           .range = OneKey(key),
                           .start = prng.Chance(0.5) ? first.revision() : FromNow(),
                           .first_id = 1000 * round});
    scenario.Put(key);
  }
  scenario.AwaitDelivered("neighbours");
}

}  // namespace
}  // namespace watchproof
