// SPDX-License-Identifier: Apache-2.0
// Watches of one stream are independent. Cancelling one of them, in the middle of a burst or while
// it reads history, must neither stop nor disturb the others.
#include "cases/support/watch_case.h"

namespace watchproof {
namespace {

WATCH_CASE(Isolated, CancelledNeighbour,
           {.requirement = "a cancel ends the one watch that it names (etcd API, "
                           "WatchCancelRequest)",
            .explain = "Half of the watches of a stream are cancelled between writes, some of "
                       "them while they still catch up. The other half must receive every event, "
                       "and no response may follow the answer to a cancel.",
            .level = Level::kMust,
            .needs = {},
            .guarantees = {"Isolated", "Reliable"}}) {
  const std::string key = scenario.Key("shared");
  Prng prng = scenario.Random("shape");
  const Write first = scenario.Put(key);
  const auto write = [&] {
    for (std::int64_t i = prng.Between(10, 30); i > 0; --i) scenario.Put(key);
  };
  write();
  scenario.Watch({.group = "stay", .count = 20, .range = OneKey(key)});
  scenario.Watch({.group = "leave", .count = 20, .range = OneKey(key)});
  scenario.Watch(
      {.group = "stay late", .count = 5, .range = OneKey(key), .start = first.revision()});
  scenario.AwaitCreated("stay");
  scenario.AwaitCreated("leave");
  write();
  scenario.Add(CancelStep{"leave"});
  write();
  scenario.Watch(
      {.group = "leave early", .count = 5, .range = OneKey(key), .start = first.revision()});
  scenario.AwaitCreated("leave early");
  scenario.Add(CancelStep{"leave early"});
  write();
  scenario.AwaitDelivered("stay");
  scenario.AwaitDelivered("stay late");
}

}  // namespace
}  // namespace watchproof
