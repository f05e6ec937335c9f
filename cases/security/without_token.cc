// SPDX-License-Identifier: Apache-2.0
// Once authentication is enabled, a stream without a token, or with one that the server did not
// issue, has no rights.
#include "cases/support/watch_case.h"
#include "harness/scenario/steps/auth.h"

namespace watchproof {
namespace {

WATCH_CASE(
    Authorized, WithoutToken,
    {.requirement = "with authentication enabled, a watch needs a token with the right to read "
                    "its range (etcd, role-based access control)",
     .explain = "A user may read one prefix. Streams without a token, with one that is no "
                "token, and with one that the server did not issue ask for that prefix, "
                "for one key of it and for everything, from now on and from history. "
                "All must be refused; the user's own watch must receive its events.",
     .level = Level::kMust,
     .needs = {Capability::kUsers},
     .guarantees = {"Authorized", "Reliable"}}) {
  Prng prng = scenario.Random("shape");
  const std::string stem = scenario.Key("m");
  const std::string key = stem + "/a";
  const std::string open_end(1, '\0');
  const WatchedRange own = Prefix(stem + "/");
  const Write first = scenario.Put(key);
  scenario.Add(AuthStep{{{.user = "reader", .key = own.key, .range_end = own.range_end}}});
  scenario.Watch({.group = "own", .range = own, .user = "reader", .stream = "own"});
  scenario.AwaitCreated("own");
  for (const char* token : {"none", "no token", "abcdefghijklmnop.1"}) {
    for (const RevisionRef& start : {FromNow(), first.revision()}) {
      for (const WatchedRange& range : {own, OneKey(key), WatchedRange{open_end, open_end}}) {
        scenario.Watch(
            {.group = "strange", .range = range, .start = start, .stream = token, .token = token});
      }
    }
  }
  scenario.AwaitCreated("strange");
  scenario.Require("strange", RequireStep::Fact::kRefused);
  for (std::int64_t i = prng.Between(2, 6); i > 0; --i) scenario.Put(key);
  scenario.AwaitDelivered("own");
  scenario.Require("own", RequireStep::Fact::kReceived);
}

}  // namespace
}  // namespace watchproof
