// SPDX-License-Identifier: Apache-2.0
// A watch needs the right to read all of its range. A range without an end is the easiest to get
// wrong: on the wire its end is one zero byte, and in many servers something else inside.
#include "cases/support/watch_case.h"

namespace watchproof {
namespace {

WATCH_CASE(Authorized, OpenRangeNeedsTheRightToAllOfIt,
           {.requirement = "a user may watch only what a role of his may read (etcd, role-based "
                           "access control)",
            .explain = "A user may read one key. On his behalf that key is watched, and everything "
                       "from it on, and everything there is, while root writes that key and "
                       "others. The first watch must be given its key; of the others no event may "
                       "come. Servers that turn the mark for an open end into an empty end before "
                       "they look at the right see one key and let the user watch all (etcd "
                       "GHSA-xg4h-6gfc-h4m8).",
            .level = Level::kMust,
            .needs = {Capability::kUsers},
            .guarantees = {"Authorized", "Reliable"}}) {
  Prng prng = scenario.Random("shape");
  const std::string own = scenario.Key("m/own");
  const std::string before = scenario.Key("a/foreign");
  const std::string after = scenario.Key("z/foreign");
  const std::string open_end(1, '\0');
  scenario.Put(own);
  scenario.ReadersOnly({{"reader", OneKey(own)}});
  scenario.Watch({.group = "own", .range = OneKey(own), .user = "reader", .stream = "own"});
  scenario.Watch(
      {.group = "from it on", .range = {own, open_end}, .user = "reader", .stream = "open"});
  scenario.Watch({.group = "everything",
                  .range = {open_end, open_end},
                  .user = "reader",
                  .stream = "everything"});
  for (const char* group : {"own", "from it on", "everything"}) scenario.AwaitCreated(group);
  for (std::int64_t i = prng.Between(2, 6); i > 0; --i) {
    for (const std::string& key : {own, before, after}) scenario.Put(key);
  }
  scenario.AwaitDelivered("own");
}

}  // namespace
}  // namespace watchproof
