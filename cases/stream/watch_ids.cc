// SPDX-License-Identifier: Apache-2.0
// A client that chooses its watch ids uses them again. The id then means the new watch and nothing
// of the old one, and as long as it is in use it means one watch only.
#include "cases/support/watch_case.h"

namespace watchproof {
namespace {

WATCH_CASE(Isolated, ReusedId,
           {.requirement = "watch ids chosen by the client identify one watch of the stream at a "
                           "time (etcd API, WatchCreateRequest.watch_id)",
            .explain = "Watches are cancelled and their ids given to watches on other ranges, "
                       "with other starts and filters, again and again, while all keys are "
                       "written. A watch must receive the events of its own range and no others, "
                       "and nothing may come for an id between its cancel and its next create.",
            .needs = {Capability::kClientChosenIds},
            .guarantees = {"Isolated", "Reliable", "Settled"}}) {
  const std::string a = scenario.Key("a");
  const std::string b = scenario.Key("b");
  const Write first = scenario.PutTogether({a, b});
  const auto write = [&] {
    for (std::int64_t i = scenario.Between(2, 9); i > 0; --i) scenario.PutTogether({a, b});
    scenario.Delete(a);
    scenario.PutTogether({b, a});
  };
  scenario.Watch({.group = "stays", .range = OneKey(b), .first_id = 900});
  for (int round = 0; round < 6; ++round) {
    const std::string group = fmt::format("round {}", round);
    scenario.Open({.group = group,
                   .count = 3,
                   .range = OneKey(scenario.Chance(0.5) ? a : b),
                   .start = scenario.Chance(0.5) ? first : FromNow(),
                   .first_id = 7,
                   .options = {.no_put = scenario.Chance(0.3)}});
    write();
    if (scenario.Chance(0.5)) scenario.AwaitDelivered(group);
    scenario.Add(CancelStep{group});
    write();
  }
  scenario.AwaitDelivered("stays");
}

WATCH_CASE(Isolated, ReusedIdAfterCompaction,
           {.requirement = "a watch that ended with ErrCompacted can be created anew (etcd API, "
                           "WatchResponse.compact_revision), with the same id once it is cancelled",
            .explain = "Watches below the floor end with ErrCompacted. The client cancels them "
                       "and creates them again under their ids, from the floor. They must receive "
                       "everything from there on.",
            .needs = {Capability::kClientChosenIds, Capability::kCompaction},
            .guarantees = {"Isolated", "CompactionSurfaced", "Reliable"}}) {
  const std::string key = scenario.Key("anew");
  const std::vector<Write> writes = scenario.PutSome(key, {6, 12});
  const RevisionRef floor = writes[writes.size() - 3];
  scenario.Compact(floor);
  scenario.Watch(
      {.group = "below", .count = 4, .range = OneKey(key), .start = writes[0], .first_id = 10});
  scenario.AwaitDelivered("below");
  scenario.Require("below", RequireStep::Fact::kCompacted);
  scenario.Add(CancelStep{"below"});
  scenario.Open(
      {.group = "anew", .count = 4, .range = OneKey(key), .start = floor, .first_id = 10});
  scenario.Put(key);
  scenario.AwaitDelivered("anew");
  scenario.Require("anew", RequireStep::Fact::kReceived);
}

WATCH_CASE(Settled, IdInUse,
           {.requirement = "a create with an id that is in use is refused (etcd API, "
                           "WatchCreateRequest.watch_id)",
            .explain = "Creates name the id of a live watch, of one that still reads history, and "
                       "of one that waits for the future. Each must be refused, and the watch "
                       "that has the id must receive everything.",
            .needs = {Capability::kClientChosenIds},
            .guarantees = {"Settled", "Isolated", "Reliable"}}) {
  const std::string key = scenario.Key("taken");
  const std::string other = scenario.Key("other");
  const Write first = scenario.Put(key);
  scenario.PutSome(key, {20, 60});
  const auto twice = [&](std::int64_t id, const RevisionRef& start) {
    scenario.Watch({.group = "first", .range = OneKey(key), .start = start, .first_id = id});
    scenario.Watch({.group = "second", .range = OneKey(other), .first_id = id});
  };
  twice(3, FromNow());
  twice(4, first);
  twice(5, AtHead(3));
  scenario.AwaitCreated("first", "second");
  scenario.Require("second", RequireStep::Fact::kRefused);
  for (std::int64_t i = scenario.Between(4, 9); i > 0; --i) {
    scenario.Put(key);
    scenario.Put(other);
  }
  scenario.AwaitDelivered("first");
  scenario.Require("first", RequireStep::Fact::kReceived);
}

WATCH_CASE(Settled, RepeatedCancel,
           {.requirement = "a cancel ends the one watch that it names (etcd API, "
                           "WatchCancelRequest); nothing follows the answer",
            .explain = "Watches are cancelled, and then cancelled again, and so is an id that no "
                       "watch ever had. No other watch may end or miss an event, and the second "
                       "cancel must not be answered as if the watch had lived.",
            .needs = {Capability::kClientChosenIds},
            .guarantees = {"Settled", "Isolated", "Reliable"}}) {
  const std::string key = scenario.Key("gone");
  scenario.Put(key);
  scenario.Watch({.group = "stays", .count = 3, .range = OneKey(key)});
  scenario.Watch({.group = "leaves", .count = 3, .range = OneKey(key), .first_id = 40});
  scenario.AwaitCreated("stays", "leaves");
  for (std::int64_t i = scenario.Between(2, 4); i > 0; --i) {
    scenario.Put(key);
    scenario.Add(CancelStep{"leaves"});
    scenario.Put(key);
  }
  scenario.AwaitDelivered("stays");
}

}  // namespace
}  // namespace watchproof
