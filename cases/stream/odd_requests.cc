// SPDX-License-Identifier: Apache-2.0
// Requests that a server refuses, or does not know.
#include "cases/support/watch_case.h"
#include "harness/scenario/steps/stream.h"

namespace watchproof {
namespace {

// A create that the server refuses must not affect other watches. The first watch of a stream has
// id 0, which is also the default value of a message that names no id.
WATCH_CASE(Settled, RefusedCreate,
           {.requirement = "a refused create is answered with created and canceled, and ends no "
                           "other watch (etcd API, WatchResponse)",
            .explain = "The first watch of a stream is open when a create with an empty range is "
                       "refused after it. Then the first watch's key is written. Servers that "
                       "answer the refusal with the requested id, 0 by default, remove watch 0 "
                       "from their list and hold its events back for ever (etcd #12385).",
            .guarantees = {"Settled", "Isolated", "Reliable"},
            .upstream = {12385, 14296}}) {
  const std::string key = scenario.Key("first");
  scenario.Put(key);
  scenario.Watch({.group = "zero", .range = OneKey(key)});
  scenario.Watch({.group = "one", .range = OneKey(key)});
  scenario.AwaitCreated("zero", "one");
  for (std::int64_t i = scenario.Between(1, 3); i > 0; --i) {
    scenario.Watch({.group = "refused", .range = {key + "z", key}});
  }
  scenario.AwaitCreated("refused");
  scenario.PutSome(key, {3, 9});
  scenario.AwaitDelivered("zero", "one");
}

// An invalid watch of one client must not affect other clients. A watch at revision -1 is invalid;
// whatever the server answers to it, all other watches must receive their history.
WATCH_CASE(Reliable, NegativeStart,
           {.requirement = "events are never dropped (etcd API, watch guarantees, reliable)",
            .explain = "Watches at start revision -1 are created on one connection, and at once "
                       "watches with history to read on another. Servers that take -1 for a real "
                       "position read an empty history for all watches of the same catch-up pass, "
                       "and the watches of the other connection silently skip their history (etcd "
                       "#20693).",
            .guarantees = {"Reliable"},
            .upstream = {20693}}) {
  const std::string stem = scenario.Key("history");
  const Write first = scenario.Put(scenario.Key(stem));
  for (std::int64_t i = scenario.Between(15, 40); i > 0; --i) scenario.Put(scenario.Key(stem));
  // Opens both connections first.
  scenario.Watch({.group = "main", .range = OneKey(scenario.Key("warm"))});
  scenario.Watch({.group = "other", .range = OneKey(scenario.Key("warm")), .stream = "second"});
  scenario.AwaitCreated("main", "other");

  // Several rounds: a pass of the catch-up loop may run between the two creates. The invalid one
  // comes first: a pass that served the other one alone would leave its history in the cache that
  // etcd 3.6.0 to 3.6.8 keep between passes, and later passes would find it there.
  const std::vector<std::string> rounds = {"first", "second", "third", "fourth"};
  for (const std::string& round : rounds) {
    scenario.Open({.group = "invalid beside the " + round,
                   .count = 5,
                   .range = OneKey(scenario.Key("any")),
                   .start = AtRevision(-1),
                   .stream = "second"});
    scenario.Open({.group = round, .range = Below(stem), .start = first});
  }
  // Long enough for one or two passes of the catch-up loop. AwaitSyncPasses cannot be used, because
  // the invalid watch may break catching up for its probe as well. The put after that reaches the
  // affected watches in any case and shows at once which revisions they have skipped.
  scenario.Hold(200ms, 400ms);
  scenario.Put(scenario.Key(stem));
  for (const std::string& round : rounds) scenario.AwaitDelivered(round);
}

WATCH_CASE(Isolated, OversizedRequest,
           {.requirement = "a message above the receiver's limit ends its call with "
                           "RESOURCE_EXHAUSTED (gRPC, status codes), and no watch disturbs "
                           "another (etcd API, watch guarantees)",
            .explain = "Two streams share one connection. A request of 5 MiB, above gRPC's default "
                       "limit, is sent on one of them while keys are written. This stream must "
                       "end; the watches of the other stream must receive everything, and a new "
                       "stream on the same connection must work.",
            .guarantees = {"Isolated", "Reliable", "Settled"}}) {
  const std::string key = scenario.Key("beside");
  const auto write = [&] { scenario.PutSome(key, {3, 12}); };
  const auto watch = [&](const std::string& name, RevisionRef start) {
    scenario.Open({.group = name,
                   .count = 3,
                   .range = OneKey(key),
                   .start = start,
                   .stream = name,
                   .beside = name == "stays" ? "" : "stays"});
  };
  const Write first = scenario.Put(key);
  watch("stays", FromNow());
  watch("ends", FromNow());
  write();
  scenario.AwaitDelivered("ends");
  scenario.Add(OversizedRequestStep{"ends"});
  write();
  watch("next", first);
  write();
  scenario.AwaitDelivered("stays", "next");
}

// A newer client may send what an older server does not know. The stream serves many watches,
// so it must go on.
WATCH_CASE(Isolated, UnknownRequest,
           {.requirement = "a request of an unknown kind is ignored (etcd, watch server: it does "
                           "not end the stream; protocol buffers: unknown fields)",
            .explain = "Between writes, creates, a progress request and a cancel, requests of a "
                       "kind that the server does not know are sent on the same stream. The "
                       "watches on it must receive everything, and the other requests their "
                       "answers.",
            .level = Level::kShould,
            .needs = {Capability::kClientChosenIds, Capability::kProgressRequest},
            .guarantees = {"Isolated", "Settled", "Reliable"}}) {
  const std::string key = scenario.Key("unknown");
  const Write first = scenario.Put(key);
  const auto unknown = [&] {
    scenario.Add(UnknownRequestStep{});
    scenario.Put(key);
  };
  unknown();
  scenario.Watch({.group = "live", .count = 3, .range = OneKey(key), .first_id = 1});
  unknown();
  scenario.AwaitCreated("live");
  for (std::int64_t i = scenario.Between(2, 5); i > 0; --i) unknown();
  scenario.Open({.group = "cancelled", .range = OneKey(key), .first_id = 10});
  unknown();
  scenario.Add(CancelStep{"cancelled"});
  scenario.Watch({.group = "late", .range = OneKey(key), .start = first});
  unknown();
  scenario.AwaitCreated("late");
  scenario.AwaitDelivered("live", "late");
  unknown();
  scenario.Add(MustReportProgressStep{});
  scenario.Require("late", RequireStep::Fact::kReceived);
}

}  // namespace
}  // namespace watchproof
