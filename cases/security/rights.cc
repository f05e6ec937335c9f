// SPDX-License-Identifier: Apache-2.0
// What a user may watch, and that nothing may be watched without a token.
#include "cases/support/watch_case.h"
#include "harness/scenario/steps/auth.h"

namespace watchproof {
namespace {

// The right to read a range is the right to watch it, all of it and its parts. A right that is read
// too narrowly breaks clients, one that is read too widely shows them what they must not see.
WATCH_CASE(Authorized, GrantedRange,
           {.requirement = "a user may watch exactly the keys that one of the user's roles may "
                           "read (etcd, role-based access control)",
            .explain = "A user may read one prefix and one other key. As this user the prefix, a "
                       "part of it, one key of it and the other key are watched, and also ranges "
                       "that begin in it and end behind it, that contain it, and that are beside "
                       "it or the other key. Those within must receive their events, the others "
                       "must be refused.",
            .needs = {Capability::kUsers},
            .guarantees = {"Authorized", "Reliable"}}) {
  const std::string stem = scenario.Key("m");
  const std::string other = "y/own";
  const std::vector<std::string> keys = {stem + "/a", stem + "/c", stem + "/e",
                                         "a/foreign", other,       "z/foreign"};
  const WatchedRange own = Below(stem);
  const Write first = scenario.PutTogether(keys);
  scenario.Add(AuthStep{{{.user = "reader", .key = own.key, .range_end = own.range_end},
                         {.user = "reader", .key = other}}});
  const auto watch = [&](const std::string& group, const WatchedRange& range,
                         const RevisionRef& start) {
    scenario.Watch(
        {.group = group, .range = range, .start = start, .user = "reader", .stream = "reader"});
  };
  for (const RevisionRef& start : {FromNow(), first.revision()}) {
    watch("within", own, start);
    watch("within", {stem + "/b", stem + "/d"}, start);
    watch("within", OneKey(stem + "/e"), start);
    watch("within", OneKey(other), start);
    watch("beyond", {stem + "/b", own.range_end + "x"}, start);
    watch("beyond", {"a/", "z/"}, start);
    watch("beyond", OneKey("z/foreign"), start);
    watch("beyond", {other, other + "z"}, start);
  }
  scenario.AwaitCreated("within", "beyond");
  scenario.Require("beyond", RequireStep::Fact::kRefused);
  for (std::int64_t i = scenario.Between(2, 6); i > 0; --i) scenario.PutTogether(keys);
  scenario.AwaitDelivered("within");
  scenario.Require("within", RequireStep::Fact::kReceived);
}

// A watch needs the permission to read its whole range. A range without an end is the easiest one
// to check wrongly: on the wire its end is one zero byte, and many servers use another
// representation internally.
WATCH_CASE(Authorized, OpenEndedRange,
           {.requirement = "a user may watch only keys that one of the user's roles may read "
                           "(etcd, role-based access control)",
            .explain = "A user may read one key. As this user, three watches are opened: on that "
                       "key, on everything from that key on, and on all keys. Meanwhile root "
                       "writes that key and others. The first watch must receive the events of "
                       "its key; the others must receive no event. Servers that replace the open "
                       "end by an empty end before they check the permission see a single key and "
                       "let the user watch everything (etcd GHSA-xg4h-6gfc-h4m8).",
            .needs = {Capability::kUsers},
            .guarantees = {"Authorized", "Reliable"}}) {
  const std::string own = scenario.Key("m/own");
  const std::string before = scenario.Key("a/foreign");
  const std::string after = scenario.Key("z/foreign");
  scenario.Put(own);
  scenario.Add(AuthStep{{{.user = "reader", .key = own}}});
  scenario.Watch({.group = "own", .range = OneKey(own), .user = "reader", .stream = "own"});
  scenario.Watch(
      {.group = "from it on", .range = {own, kNoEnd}, .user = "reader", .stream = "open"});
  scenario.Watch(
      {.group = "everything", .range = {kNoEnd, kNoEnd}, .user = "reader", .stream = "everything"});
  scenario.AwaitCreated("own", "from it on", "everything");
  for (std::int64_t i = scenario.Between(2, 6); i > 0; --i) {
    for (const std::string& key : {own, before, after}) scenario.Put(key);
  }
  scenario.AwaitDelivered("own");
}

WATCH_CASE(
    Authorized, WithoutToken,
    {.requirement = "with authentication enabled, a watch needs a token with the right to read "
                    "its range (etcd, role-based access control)",
     .explain = "A user may read one prefix. Streams without a token, with one that is no "
                "token, and with one that the server did not issue ask for that prefix, "
                "for one key of it and for everything, from now on and from history. "
                "All must be refused; the user's own watch must receive its events.",
     .needs = {Capability::kUsers},
     .guarantees = {"Authorized", "Reliable"}}) {
  const std::string stem = scenario.Key("m");
  const std::string key = stem + "/a";
  const WatchedRange own = Below(stem);
  const Write first = scenario.Put(key);
  scenario.Add(AuthStep{{{.user = "reader", .key = own.key, .range_end = own.range_end}}});
  scenario.Open({.group = "own", .range = own, .user = "reader", .stream = "own"});
  for (const char* token : {"none", "no token", "abcdefghijklmnop.1"}) {
    for (const RevisionRef& start : {FromNow(), first.revision()}) {
      for (const WatchedRange& range : {own, OneKey(key), WatchedRange{kNoEnd, kNoEnd}}) {
        scenario.Watch(
            {.group = "strange", .range = range, .start = start, .stream = token, .token = token});
      }
    }
  }
  scenario.AwaitCreated("strange");
  scenario.Require("strange", RequireStep::Fact::kRefused);
  scenario.PutSome(key, {2, 6});
  scenario.AwaitDelivered("own");
  scenario.Require("own", RequireStep::Fact::kReceived);
}

// A user may have a watch open, and a token, when its right is taken away.
WATCH_CASE(Authorized, RightTakenAway,
           {.requirement = "a right that was taken away grants nothing more (etcd, role-based "
                           "access control)",
            .explain = "A user reads, writes and watches one prefix. Its right is taken away; a "
                       "second later root writes on. The user's calls, and new watches, must be "
                       "refused. The open watch must receive nothing of what is written then, or "
                       "end. Another user with the same right keeps it.",
            .needs = {Capability::kUsers},
            .guarantees = {"Authorized", "Reliable"}}) {
  const std::string stem = scenario.Key("m");
  const std::string key = stem + "/a";
  const WatchedRange own = Below(stem);
  scenario.Put(key);
  AuthStep auth;
  for (const char* user : {"former", "remaining"}) {
    auth.readers.push_back({user, own.key, own.range_end, UserMay::kReadAndWrite});
  }
  scenario.Add(auth);
  const auto call = [&](const std::string& user) {
    const Step put = PutStep{.key = key, .value = scenario.Value(), .previous = true};
    scenario.Add(CallsStep{.user = user,
                           .calls = {ReadStep{.key = own.key, .range_end = own.range_end}, put,
                                     TxnStep{.writes = {put}},
                                     DeleteStep{.key = own.key, .range_end = own.range_end}}});
  };
  for (const char* user : {"former", "remaining"}) {
    scenario.Open({.group = user, .range = own, .user = user, .stream = user});
    call(user);
  }
  scenario.PutSome(key, {2, 6});
  scenario.AwaitDelivered("former", "remaining");
  scenario.Add(OperatorStep{"auth status"});
  scenario.Add(ForbidStep{"former", own.key, own.range_end});
  scenario.Add(OperatorStep{"auth status"});
  scenario.Hold(1200ms, 1500ms);
  scenario.Watch({.group = "late", .range = own, .user = "former", .stream = "late"});
  scenario.AwaitCreated("late");
  for (const char* user : {"former", "remaining"}) call(user);
  scenario.PutSome(key, {2, 6});
  scenario.AwaitDelivered("remaining");
}

}  // namespace
}  // namespace watchproof
