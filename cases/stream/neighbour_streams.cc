// SPDX-License-Identifier: Apache-2.0
// Streams beside each other, on one connection or on several.
#include "cases/support/watch_case.h"
#include "harness/scenario/steps/stream.h"

namespace watchproof {
namespace {

// One connection carries many streams, as Go's client and the Kubernetes API server use it. Streams
// are independent: one that ends, is closed or sends nothing more does not touch the others.
WATCH_CASE(Isolated, SharedConnection,
           {.requirement = "no watch disturbs another (etcd API, watch guarantees), whatever "
                           "connection their streams share",
            .explain = "Three streams share one connection, with watches of the same ids on "
                       "different keys. One stream is closed by the client in the middle of "
                       "writes, and another one takes its place. The watches of the other streams "
                       "must receive everything.",
            .needs = {Capability::kClientChosenIds},
            .guarantees = {"Isolated", "Reliable", "Settled"}}) {
  std::vector<std::string> keys;
  for (int i = 0; i < 4; ++i) keys.push_back(scenario.Key("shared"));
  const auto write = [&] {
    for (std::int64_t i = scenario.Between(3, 12); i > 0; --i) scenario.PutTogether(keys);
  };
  const Write first = scenario.PutTogether(keys);
  const auto watch = [&](const std::string& name, const std::string& key) {
    scenario.Open({.group = name,
                   .count = 5,
                   .range = OneKey(key),
                   .start = scenario.Chance(0.5) ? first : FromNow(),
                   .first_id = 1,
                   .stream = name,
                   .beside = name == "first" ? "" : "first"});
  };
  write();
  watch("first", keys[0]);
  watch("second", keys[1]);
  watch("third", keys[2]);
  write();
  scenario.Add(CloseStep{"second"});
  write();
  watch("fourth", keys[3]);
  scenario.Add(CancelStep{"third"});
  write();
  scenario.AwaitDelivered("first", "fourth");
}

WATCH_CASE(Isolated, ClosedWhileBehind,
           {.requirement = "no watch disturbs another (etcd API, watch guarantees)",
            .explain = "A client closes a stream with a full queue while many of its watches "
                       "are behind. Watches on another connection follow the same key, some of "
                       "them created at that moment. They must receive everything.",
            .needs = {Capability::kProxy},
            .guarantees = {"Isolated", "Reliable"}}) {
  const std::string key = scenario.Key("busy");
  const Write first = scenario.Put(key);
  scenario.Watch({.group = "closed", .count = 200, .range = OneKey(key)});
  scenario.Watch({.group = "free", .count = 10, .range = OneKey(key), .stream = "direct/free"});
  scenario.AwaitCreated("closed", "free");
  scenario.Stall(key, {20, 30}, {1000, 4000});
  scenario.Require("closed", RequireStep::Fact::kBehind);
  scenario.Watch({.group = "late",
                  .count = 10,
                  .range = OneKey(key),
                  .start = first,
                  .stream = "direct/free"});
  scenario.Add(CloseStep{"main"});
  scenario.PutSome(key, {5, 10});
  scenario.Add(MustDeliverStep{"free"});
  scenario.Add(MustDeliverStep{"late"});
  scenario.Heal("stall");
}

// A connection carries the answers of all its calls, and a server decides which of them is next.
WATCH_CASE(Isolated, ReadsOnItsConnection,
           {.requirement = "no watcher is held up by what else its client asks for (etcd #15402)",
            .explain = "Clients read four megabytes again and again on the connection of a watch, "
                       "as an API server does. Watches of the same key on another connection show "
                       "when an event is due; the one beside the reads must have it within "
                       "seconds, while they go on (etcd #15402: over TLS it waits until they "
                       "end).",
            .guarantees = {"Isolated", "Reliable"},
            .upstream = {15402},
            .costs = CaseInfo::Costs::kCounts}) {
  const std::string key = scenario.Key("small");
  const std::string large = scenario.Key("large");
  for (int i = 0; i < 40; ++i) {
    scenario.Put(large + "/" + std::to_string(i), {100'000, 100'000});
  }
  scenario.Put(key);
  const auto open = [&](const std::string& group) {
    scenario.Open({.group = group, .range = OneKey(key), .stream = "direct/" + group});
  };
  open("free");
  open("beside");
  scenario.BeginLoad({.load = "reads",
                      .clients = 16,
                      .calls = 10'000,
                      .key = large,
                      .direct = true,
                      .whole_reads = true,
                      .beside = "direct/beside"});
  for (int i = 0; i < 3; ++i) {
    scenario.Hold(200ms, 400ms);
    scenario.Put(key);
    scenario.Add(MustDeliverStep{"free"});
    scenario.Add(MustDeliverStep{"beside", 2s});
  }
  scenario.Add(StopLoadStep{"reads", /*answered=*/true});
}

WATCH_CASE(Reliable, FinishedRequests,
           {.requirement = "a watch lasts until it is cancelled or its stream ends (etcd API, "
                           "Watch)",
            .explain = "A client ends its half of a stream after its creates, as a client that "
                       "has nothing more to ask does. The watches, live and from history, must "
                       "go on.",
            .guarantees = {"Reliable", "Settled"}}) {
  const std::string key = scenario.Key("half");
  const Write first = scenario.Put(key);
  scenario.PutSome(key, {10, 30});
  scenario.Watch({.group = "live", .count = 3, .range = OneKey(key)});
  scenario.Watch({.group = "late", .count = 3, .range = OneKey(key), .start = first});
  scenario.Add(FinishRequestsStep{});
  scenario.AwaitCreated("live", "late");
  scenario.PutSome(key, {10, 30});
  scenario.AwaitDelivered("live", "late");
}

WATCH_CASE(Isolated, StalledStream,
           {.requirement = "no watcher disturbs another (etcd, watchable store: slow watchers are "
                           "taken out of the live set)",
            .explain = "Many watches share a stalled stream while watches on a second connection "
                       "follow the same key. The second connection must deliver every event "
                       "during the stall. When the stall ends, every event must reach the stalled "
                       "stream too.",
            .needs = {Capability::kProxy},
            .guarantees = {"Isolated", "Reliable"}}) {
  const std::string key = scenario.Key("busy");
  scenario.Put(key);
  scenario.Watch({.group = "stalled", .count = 200, .range = OneKey(key)});
  scenario.Watch({.group = "free", .count = 20, .range = OneKey(key), .stream = "direct/free"});
  scenario.AwaitCreated("stalled", "free");
  scenario.Hold(0ms, 30ms);
  scenario.Stall(key, {20, 40}, {1000, 4000});
  scenario.PutSome(key, {5, 10});
  scenario.Add(MustDeliverStep{"free"});
  scenario.Hold(0ms, 30ms);
  scenario.Heal("stall");
  scenario.Add(MustDeliverStep{"stalled"});
}

}  // namespace
}  // namespace watchproof
