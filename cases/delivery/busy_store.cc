// SPDX-License-Identifier: Apache-2.0
// Watches of a store that is never quiet: what they wait for must not wait for a pause of the
// writers.
#include "cases/support/watch_case.h"

namespace watchproof {
namespace {

WATCH_CASE(Isolated, CatchUpBesideWrites,
           {.requirement = kWatchGuarantees,
            .explain = "Clients write without a pause, and go on until watches that were opened "
                       "meanwhile, and begin in the past, have received all that had been written "
                       "before. A store that puts catching up off with each write keeps such "
                       "watches waiting for as long as anyone writes, and is sound again in the "
                       "first pause.",
            .guarantees = {"Isolated", "Reliable"}}) {
  const std::string stem = scenario.Key("busy");
  const std::vector<Write> history = scenario.PutSome(stem + "/history", {20, 60});
  scenario.Open({.group = "live", .range = Below(stem)});
  // Far more calls than are made until they are stopped, on a slow machine too: if they ended by
  // themselves, there would be the pause.
  scenario.BeginLoad({.clients = 2,
                      .calls = 5000,
                      .keys = 5,
                      .key = stem,
                      .direct = true,
                      .puts_only = true,
                      .pause = 10ms});
  for (std::int64_t i = scenario.Between(2, 4); i > 0; --i) {
    const std::string group = fmt::format("late {}", i);
    scenario.Hold(50ms, 200ms);
    scenario.Open({.group = group,
                   .count = 3,
                   .range = Below(stem),
                   .start = scenario.Pick(history),
                   .stream = scenario.Chance(0.5) ? group : "main"});
    scenario.Put(stem + "/behind");
    scenario.Add(MustDeliverStep{group});
  }
  scenario.Add(StopLoadStep{.answered = true});
  scenario.AwaitLoad();
  scenario.AwaitDelivered("live");
}

}  // namespace
}  // namespace watchproof
