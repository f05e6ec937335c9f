// SPDX-License-Identifier: Apache-2.0
// One client's mistake is not another's loss. A watch at revision -1 makes no sense, and whatever
// the server says to it, all other watches must be given their history.
#include "cases/support/watch_case.h"

namespace watchproof {
namespace {

WATCH_CASE(Reliable, NegativeStartHarmsNoNeighbour,
           {.requirement = "events are never dropped (etcd API, watch guarantees, reliable)",
            .explain = "A watch with history to read is created on one connection, and at once "
                       "watches at start revision -1 on another. Servers that take -1 for a real "
                       "position read an empty history for everybody in the same pass, and the "
                       "first watch silently skips what it was owed (etcd #20693).",
            .level = Level::kMust,
            .needs = {},
            .guarantees = {"Reliable"},
            .upstream = {20693}}) {
  const std::string stem = scenario.Key("history");
  Prng prng = scenario.Random("shape");
  const Write first = scenario.Put(scenario.Key(stem));
  for (std::int64_t i = prng.Between(15, 40); i > 0; --i) scenario.Put(scenario.Key(stem));
  // Both connections are there before it begins.
  scenario.Watch({.group = "innocent", .range = OneKey(scenario.Key("warm"))});
  scenario.Watch({.group = "other", .range = OneKey(scenario.Key("warm")), .stream = "second"});
  scenario.AwaitCreated("innocent");
  scenario.AwaitCreated("other");

  scenario.Watch({.group = "victim", .range = Prefix(stem + "/"), .start = first.revision()});
  scenario.Watch({.group = "mistake",
                  .count = 5,
                  .range = OneKey(scenario.Key("any")),
                  .start = AtRevision(-1),
                  .stream = "second"});
  scenario.AwaitCreated("victim");
  // A pass or two of the catch-up loop. Not asked of the loop itself, which the mistake may have
  // broken for that question, too. What is written behind it comes to the victim in any case, and
  // shows at once what it will never be given.
  scenario.Hold(200ms, 400ms);
  scenario.Put(scenario.Key(stem));
  scenario.AwaitDelivered("victim");
}

}  // namespace
}  // namespace watchproof
