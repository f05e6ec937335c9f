// SPDX-License-Identifier: Apache-2.0
// One client's mistake is not another's loss. A watch at revision -1 makes no sense, and whatever
// the server says to it, all other watches must be given their history.
#include "cases/support/watch_case.h"

namespace watchproof {
namespace {

WATCH_CASE(Reliable, NegativeStartHarmsNoNeighbour,
           {.requirement = "events are never dropped (etcd API, watch guarantees, reliable)",
            .explain = "Watches with history to read are created on one connection, and at once "
                       "watches at start revision -1 on another. Servers that take -1 for a real "
                       "position read an empty history for everybody in the same pass, and the "
                       "former silently skip what they were owed (etcd #20693).",
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

  // Several times, because a pass of the catch-up loop may come between the two, and serves the
  // first before anybody makes a mistake.
  const std::vector<std::string> rounds = {"first", "second", "third", "fourth"};
  for (const std::string& round : rounds) {
    scenario.Watch({.group = round, .range = Prefix(stem + "/"), .start = first.revision()});
    scenario.Watch({.group = "mistake beside the " + round,
                    .count = 5,
                    .range = OneKey(scenario.Key("any")),
                    .start = AtRevision(-1),
                    .stream = "second"});
  }
  for (const std::string& round : rounds) scenario.AwaitCreated(round);
  // A pass or two of the loop. Not asked of the loop itself, which the mistake may have broken for
  // that question, too. What is written behind it comes to the victims in any case, and shows at
  // once what they will never be given.
  scenario.Hold(200ms, 400ms);
  scenario.Put(scenario.Key(stem));
  for (const std::string& round : rounds) scenario.AwaitDelivered(round);
}

}  // namespace
}  // namespace watchproof
