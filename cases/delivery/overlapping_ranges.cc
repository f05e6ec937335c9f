// SPDX-License-Identifier: Apache-2.0
// Each event goes to every watch with its key in range, and a server finds these by an index over
// the ranges. An index that is wrong after a removal loses events of ranges beside the removed one.
#include <algorithm>

#include "cases/support/watch_case.h"

namespace watchproof {
namespace {

WATCH_CASE(Reliable, OverlappingRanges,
           {.requirement = "events are never dropped (etcd API, watch guarantees, reliable), "
                           "whatever other ranges are watched",
            .explain = "Dozens of ranges that overlap, contain each other, touch, or are equal, "
                       "with open ends among them, are watched on one stream. Some are cancelled "
                       "and others added while keys at their edges are written and deleted. Each "
                       "watch must receive exactly the events of its range.",
            .guarantees = {"Reliable", "Filtered", "Isolated"}}) {
  const std::string stem = scenario.Key("over");
  std::vector<std::string> keys;
  for (char letter = 'a'; letter <= 'l'; ++letter) keys.push_back(stem + "/" + letter);
  const auto draw = [&] {
    const std::int64_t low = scenario.Between(0, 9);
    const std::string& key = keys[static_cast<std::size_t>(low)];
    if (scenario.Chance(0.2)) return OneKey(key);
    if (scenario.Chance(0.15)) return WatchedRange{key, std::string(1, '\0')};
    return WatchedRange{key, keys[static_cast<std::size_t>(scenario.Between(low + 1, 11))]};
  };
  const auto write = [&] {
    scenario.Shuffle(keys);
    for (const std::string& key : keys) scenario.Put(key);
    std::sort(keys.begin(), keys.end());
    scenario.Delete(scenario.Pick(keys));
    scenario.DeleteAll({stem + "/c", stem + "/f"});
  };
  const auto watch = [&](const std::string& group) {
    for (std::int64_t i = scenario.Between(12, 20); i > 0; --i) {
      const WatchedRange range = draw();
      scenario.Watch({.group = group, .range = range});
      if (scenario.Chance(0.2)) scenario.Watch({.group = group, .range = range});
    }
    scenario.AwaitCreated(group);
  };
  scenario.PutTogether(keys);
  watch("stay");
  for (std::int64_t round = scenario.Between(3, 4); round > 0; --round) {
    const std::string group = fmt::format("round {}", round);
    watch(group);
    write();
    scenario.Add(CancelStep{group});
    write();
  }
  scenario.AwaitDelivered("stay");
}

}  // namespace
}  // namespace watchproof
