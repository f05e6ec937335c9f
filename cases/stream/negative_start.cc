// SPDX-License-Identifier: Apache-2.0
// An invalid watch of one client must not affect other clients. A watch at revision -1 is invalid;
// whatever the server answers to it, all other watches must receive their history.
#include "cases/support/watch_case.h"

namespace watchproof {
namespace {

WATCH_CASE(Reliable, NegativeStart,
           {.requirement = "events are never dropped (etcd API, watch guarantees, reliable)",
            .explain = "Watches at start revision -1 are created on one connection, and at once "
                       "watches with history to read on another. Servers that take -1 for a real "
                       "position read an empty history for all watches of the same catch-up pass, "
                       "and the watches of the other connection silently skip their history (etcd "
                       "#20693).",
            .level = Level::kMust,
            .needs = {},
            .guarantees = {"Reliable"},
            .upstream = {20693}}) {
  const std::string stem = scenario.Key("history");
  Prng prng = scenario.Random("shape");
  const Write first = scenario.Put(scenario.Key(stem));
  for (std::int64_t i = prng.Between(15, 40); i > 0; --i) scenario.Put(scenario.Key(stem));
  // Opens both connections first.
  scenario.Watch({.group = "main", .range = OneKey(scenario.Key("warm"))});
  scenario.Watch({.group = "other", .range = OneKey(scenario.Key("warm")), .stream = "second"});
  scenario.AwaitCreated("main");
  scenario.AwaitCreated("other");

  // Several rounds: a pass of the catch-up loop may run between the two creates. The invalid one
  // comes first: a pass that served the other one alone would leave its history in the cache that
  // etcd 3.6.0 to 3.6.8 keep between passes, and later passes would find it there.
  const std::vector<std::string> rounds = {"first", "second", "third", "fourth"};
  for (const std::string& round : rounds) {
    scenario.Watch({.group = "invalid beside the " + round,
                    .count = 5,
                    .range = OneKey(scenario.Key("any")),
                    .start = AtRevision(-1),
                    .stream = "second"});
    scenario.AwaitCreated("invalid beside the " + round);
    scenario.Watch({.group = round, .range = Prefix(stem + "/"), .start = first.revision()});
    scenario.AwaitCreated(round);
  }
  // Long enough for one or two passes of the catch-up loop. AwaitSyncPasses cannot be used, because
  // the invalid watch may break catching up for its probe as well. The put after that reaches the
  // affected watches in any case and shows at once which revisions they have skipped.
  scenario.Hold(200ms, 400ms);
  scenario.Put(scenario.Key(stem));
  for (const std::string& round : rounds) scenario.AwaitDelivered(round);
}

}  // namespace
}  // namespace watchproof
