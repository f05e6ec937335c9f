// SPDX-License-Identifier: Apache-2.0
// Watches that are cancelled, at any moment.
#include "cases/support/watch_case.h"

namespace watchproof {
namespace {

WATCH_CASE(Isolated, CancelledNeighbour,
           {.requirement = "a cancel ends the one watch that it names (etcd API, "
                           "WatchCancelRequest)",
            .explain = "Half of the watches of a stream are cancelled between writes, some of "
                       "them while they still catch up. The other half must receive every event, "
                       "and no response may follow the answer to a cancel.",
            .guarantees = {"Isolated", "Reliable"}}) {
  const std::string key = scenario.Key("shared");
  const Write first = scenario.Put(key);
  const auto write = [&] { scenario.PutSome(key, {10, 30}); };
  write();
  scenario.Watch({.group = "stay", .count = 20, .range = OneKey(key)});
  scenario.Watch({.group = "leave", .count = 20, .range = OneKey(key)});
  scenario.Watch({.group = "stay late", .count = 5, .range = OneKey(key), .start = first});
  scenario.AwaitCreated("stay", "leave");
  write();
  scenario.Add(CancelStep{"leave"});
  write();
  scenario.Open({.group = "leave early", .count = 5, .range = OneKey(key), .start = first});
  scenario.Add(CancelStep{"leave early"});
  write();
  scenario.AwaitDelivered("stay", "stay late");
}

WATCH_CASE(Isolated, CreateCancelChurn,
           {.requirement = "a cancelled watch ends, and no watch disturbs another one of its "
                           "stream (etcd API, watch guarantees)",
            .explain = "Hundreds of watches, from now and from the past, are created and "
                       "cancelled at once, without waiting for an answer, while keys are written "
                       "and other watches of the stream are open.",
            .needs = {Capability::kClientChosenIds},
            .guarantees = {"Isolated", "Settled", "Reliable"}}) {
  const std::string key = scenario.Key("churned");
  const Write first = scenario.Put(key);
  scenario.PutSome(key, {10, 30});
  scenario.Open({.group = "neighbours", .count = 10, .range = OneKey(key), .first_id = 1});
  for (std::int64_t round = 1; round <= 6; ++round) {
    scenario.Put(key);
    scenario.Add(ChurnStep{.group = fmt::format("round {}", round),
                           .count = static_cast<std::size_t>(scenario.Between(20, 80)),
                           .range = OneKey(key),
                           .start = scenario.Chance(0.5) ? first : FromNow(),
                           .first_id = 1000 * round});
    scenario.Put(key);
  }
  scenario.AwaitDelivered("neighbours");
}

// Watches with three batches each: more than the queue of their stream takes.
constexpr std::size_t kWatchers = 35;
constexpr std::int64_t kLeaving = 5001;  // the first id of those that are cancelled

WATCH_CASE(Isolated, CancelDuringCatchUp,
           {.requirement = "a cancel ends the one watch that it names (etcd API, "
                           "WatchCancelRequest)",
            .explain = "Watches of a client that does not read are in the middle of a long "
                       "history when half of them are cancelled. Then the client reads on. "
                       "Nothing may follow the answers, and the other half must receive "
                       "everything.",
            .needs = {Capability::kClientChosenIds},
            .guarantees = {"Isolated", "Settled", "Reliable"}}) {
  const std::string stem = scenario.Key("long");
  const Write first = scenario.Put(stem + "/0");
  scenario.BeginLoad({.clients = 8,
                      .calls = static_cast<std::size_t>(scenario.Between(280, 300)),
                      .keys = 1,
                      .key = stem,
                      .puts_only = true});
  scenario.AwaitLoad();
  scenario.Inject("slow-reader");
  const auto watch = [&](const std::string& group, std::int64_t first_id) {
    scenario.Watch({.group = group,
                    .count = kWatchers,
                    .range = Below(stem),
                    .start = first,
                    .first_id = first_id});
  };
  watch("leave", kLeaving);
  watch("stay", 1);
  // Those that leave are registered. The creates of all others come before the cancels.
  scenario.Add(AwaitRegisteredStep{kAnswersThatWait});
  scenario.AwaitEffect("slow-reader");
  scenario.Add(AwaitSyncPassesStep{3});
  scenario.Add(CancelStep{"leave", /*at_once=*/true});
  scenario.Heal("slow-reader");
  scenario.Require("leave", RequireStep::Fact::kCancelled, 5s);
  scenario.Put(stem + "/0");
  scenario.AwaitDelivered("stay");
}

// Cancels the group "leave" while its events wait behind a full queue. Of all watches, so many: at
// least one cancel is carried out before the queue has room for the rest of its events.
void CancelDuringStall(Scenario& scenario, const std::string& key, std::size_t watches) {
  scenario.AwaitCreated("stay", "leave");
  scenario.Stall(key, {20, 30}, {1000, 4000});
  scenario.Require("leave", RequireStep::Fact::kBehind);
  scenario.Add(CancelStep{"leave", /*at_once=*/true});
  scenario.Add(AwaitUnregisteredStep{watches - 1});
}

// Cancels watches behind a full queue and creates others, from that id on.
void CancelBehindFullQueue(Scenario& scenario, std::int64_t next_id) {
  const std::string key = scenario.Key("busy");
  const std::string other = scenario.Key("other");
  const Write first = scenario.PutTogether({key, other});
  scenario.Watch({.group = "stay", .count = 200, .range = OneKey(key), .first_id = 1});
  scenario.Watch({.group = "leave", .count = 7, .range = OneKey(key), .first_id = kLeaving});
  CancelDuringStall(scenario, key, 200 + 7);
  scenario.Watch(
      {.group = "next", .count = 7, .range = OneKey(other), .start = first, .first_id = next_id});
  scenario.Put(other);
  scenario.Require("next", RequireStep::Fact::kUncreated);
  scenario.Heal("stall");
  scenario.AwaitDelivered("stay", "next");
  scenario.Require("leave", RequireStep::Fact::kCancelled, 5s);
}

WATCH_CASE(Isolated, CancelDuringStall,
           {.requirement = "a cancel ends the one watch that it names (etcd API, "
                           "WatchCancelRequest)",
            .explain = "Watches share a stream with a full queue. Some are cancelled during the "
                       "stall, and new ones are created on another key. When the stall is over, "
                       "all that were not cancelled must receive everything.",
            .needs = {Capability::kProxy, Capability::kClientChosenIds},
            .guarantees = {"Isolated", "Settled", "Reliable"}}) {
  CancelBehindFullQueue(scenario, kLeaving + 1000);
}

WATCH_CASE(Isolated, ReusedIdDuringStall,
           {.requirement = "watch ids chosen by the client identify one watch of the stream at a "
                           "time (etcd API, WatchCreateRequest.watch_id)",
            .explain = "Watches share a stream with a full queue. Some are cancelled during the "
                       "stall, and their ids given to watches on another key, as soon as the "
                       "requests are sent. When the stall is over, the new watches must receive "
                       "the events of their key, and none that waited for the old ones.",
            .needs = {Capability::kProxy, Capability::kClientChosenIds},
            .guarantees = {"Isolated", "Settled", "Reliable"}}) {
  CancelBehindFullQueue(scenario, kLeaving);
}

WATCH_CASE(PreviousValue, CancelDuringStall,
           {.requirement = "prev_kv: the created watcher gets the previous key-value before the "
                           "event happens (etcd API, WatchCreateRequest)",
            .explain = "The events of some watches with previous values wait in a full queue when "
                       "the client cancels the watches. Until its answer a cancel has not ended "
                       "the watch: each event that still comes before must have its previous "
                       "value. etcd forgets with the cancel what the watch had asked for.",
            .needs = {Capability::kProxy, Capability::kClientChosenIds,
                      Capability::kPreviousValues},
            .guarantees = {"PreviousValue", "Reliable"}}) {
  const std::string key = scenario.Key("busy");
  scenario.Put(key);
  scenario.Watch({.group = "stay", .count = 5, .range = OneKey(key), .first_id = 1});
  scenario.Watch({.group = "leave",
                  .count = 100,
                  .range = OneKey(key),
                  .first_id = kLeaving,
                  .options = {.prev_kv = true}});
  CancelDuringStall(scenario, key, 5 + 100);
  scenario.Heal("stall");
  scenario.AwaitDelivered("stay");
  scenario.Require("leave", RequireStep::Fact::kCancelled, 5s);
}

WATCH_CASE(Reliable, CreateDuringStall,
           {.requirement = "events are never dropped (etcd API, watch guarantees, reliable), also "
                           "of watches that are created while nothing can be sent",
            .explain = "While a stream is stalled with a full queue, watches are created on it: "
                       "from now, from history, from the future, with filters. The keys are "
                       "written during the stall and after it. Each watch must receive everything "
                       "from its start on.",
            .needs = {Capability::kProxy},
            .guarantees = {"Reliable", "Ordered", "Unique"}}) {
  const std::string key = scenario.Key("busy");
  const Write first = scenario.Put(key);
  scenario.Open({.group = "old", .count = 200, .range = OneKey(key)});
  scenario.Stall(key, {20, 30}, {1000, 4000});
  scenario.Watch({.group = "new", .count = 3, .range = OneKey(key), .start = first});
  scenario.Watch({.group = "new", .count = 3, .range = OneKey(key)});
  scenario.Watch({.group = "new", .count = 3, .range = OneKey(key), .start = AtHead(3)});
  scenario.Watch(
      {.group = "new", .range = OneKey(key), .start = first, .options = {.no_put = true}});
  scenario.Add(AwaitRegisteredStep{200 + 10});
  for (int i = 0; i < 6; ++i) scenario.Put(key);
  scenario.Delete(key);
  scenario.Require("new", RequireStep::Fact::kUncreated);
  scenario.Heal("stall");
  scenario.Put(key);
  scenario.AwaitDelivered("old", "new");
}

}  // namespace
}  // namespace watchproof
