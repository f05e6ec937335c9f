// SPDX-License-Identifier: Apache-2.0
// The right to read a range is the right to watch it, all of it and its parts. A right that is read
// too narrowly breaks clients, one that is read too widely shows them what they must not see.
#include "cases/support/watch_case.h"
#include "harness/scenario/steps/auth.h"

namespace watchproof {
namespace {

WATCH_CASE(Authorized, GrantedRange,
           {.requirement = "a user may watch exactly the keys that one of the user's roles may "
                           "read (etcd, role-based access control)",
            .explain = "A user may read one prefix. As this user the prefix, a part of it and one "
                       "key of it are watched, and also ranges that begin in it and end behind "
                       "it, that contain it, and that are beside it. Those within must receive "
                       "their events, the others must be refused.",
            .level = Level::kMust,
            .needs = {Capability::kUsers},
            .guarantees = {"Authorized", "Reliable"}}) {
  Prng prng = scenario.Random("shape");
  const std::string stem = scenario.Key("m");
  const std::vector<std::string> keys = {stem + "/a", stem + "/c", stem + "/e", "a/foreign",
                                         "z/foreign"};
  const WatchedRange own = Prefix(stem + "/");
  const Write first = scenario.PutTogether(keys);
  scenario.Add(AuthStep{{{.user = "reader", .key = own.key, .range_end = own.range_end}}});
  const auto watch = [&](const std::string& group, const WatchedRange& range,
                         const RevisionRef& start) {
    scenario.Watch(
        {.group = group, .range = range, .start = start, .user = "reader", .stream = "reader"});
  };
  for (const RevisionRef& start : {FromNow(), first.revision()}) {
    watch("within", own, start);
    watch("within", {stem + "/b", stem + "/d"}, start);
    watch("within", OneKey(stem + "/e"), start);
    watch("beyond", {stem + "/b", own.range_end + "x"}, start);
    watch("beyond", {"a/", "z/"}, start);
    watch("beyond", OneKey("z/foreign"), start);
  }
  for (const char* group : {"within", "beyond"}) scenario.AwaitCreated(group);
  scenario.Require("beyond", RequireStep::Fact::kRefused);
  for (std::int64_t i = prng.Between(2, 6); i > 0; --i) scenario.PutTogether(keys);
  scenario.AwaitDelivered("within");
  scenario.Require("within", RequireStep::Fact::kReceived);
}

}  // namespace
}  // namespace watchproof
