// SPDX-License-Identifier: Apache-2.0
// A catch-up loop takes a bounded number of watches per pass. A watch that did not fit into one
// pass must be served by the next.
#include "cases/support/watch_case.h"

namespace watchproof {
namespace {

WATCH_CASE(Reliable, MultiPassCatchUp,
           {.requirement = "events are never dropped (etcd API, watch guarantees, reliable)",
            .explain = "More watches than one pass of the catch-up loop takes (512) are created "
                       "at once, all with history to read. Each must receive the whole history "
                       "and every later event.",
            .level = Level::kMust,
            .needs = {},
            .guarantees = {"Reliable", "Settled"}}) {
  const std::string key = scenario.Key("queue");
  Prng prng = scenario.Random("shape");
  const Write first = scenario.Put(key);
  for (std::int64_t i = prng.Between(10, 30); i > 0; --i) scenario.Put(key);
  scenario.Watch({.group = "all",
                  .count = static_cast<std::size_t>(prng.Between(513, 560)),
                  .range = OneKey(key),
                  .start = first.revision()});
  scenario.AwaitCreated("all");
  for (std::int64_t i = prng.Between(1, 5); i > 0; --i) scenario.Put(key);
  scenario.AwaitDelivered("all");
}

}  // namespace
}  // namespace watchproof
