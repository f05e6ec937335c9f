// SPDX-License-Identifier: Apache-2.0
// A watch needs the permission to read its whole range. A range without an end is the easiest one
// to check wrongly: on the wire its end is one zero byte, and many servers use another
// representation internally.
#include "cases/support/watch_case.h"
#include "harness/scenario/steps/auth.h"

namespace watchproof {
namespace {

WATCH_CASE(Authorized, OpenEndedRange,
           {.requirement = "a user may watch only keys that one of the user's roles may read "
                           "(etcd, role-based access control)",
            .explain = "A user may read one key. As this user, three watches are opened: on that "
                       "key, on everything from that key on, and on all keys. Meanwhile root "
                       "writes that key and others. The first watch must receive the events of "
                       "its key; the others must receive no event. Servers that replace the open "
                       "end by an empty end before they check the permission see a single key and "
                       "let the user watch everything (etcd GHSA-xg4h-6gfc-h4m8).",
            .level = Level::kMust,
            .needs = {Capability::kUsers},
            .guarantees = {"Authorized", "Reliable"}}) {
  Prng prng = scenario.Random("shape");
  const std::string own = scenario.Key("m/own");
  const std::string before = scenario.Key("a/foreign");
  const std::string after = scenario.Key("z/foreign");
  const std::string open_end(1, '\0');
  scenario.Put(own);
  scenario.Add(AuthStep{{{.user = "reader", .key = own}}});
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
