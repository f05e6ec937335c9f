// SPDX-License-Identifier: Apache-2.0
// One connection carries many streams, as Go's client and the Kubernetes API server use it. Streams
// are independent: one that ends, is closed or sends nothing more does not touch the others.
#include "cases/support/watch_case.h"
#include "harness/scenario/steps/stream.h"

namespace watchproof {
namespace {

WATCH_CASE(Isolated, SharedConnection,
           {.requirement = "no watch disturbs another (etcd API, watch guarantees), whatever "
                           "connection their streams share",
            .explain = "Three streams share one connection, with watches of the same ids on "
                       "different keys. One stream is closed by the client in the middle of "
                       "writes, and another one takes its place. The watches of the other streams "
                       "must receive everything.",
            .level = Level::kMust,
            .needs = {Capability::kClientChosenIds},
            .guarantees = {"Isolated", "Reliable", "Settled"}}) {
  Prng prng = scenario.Random("shape");
  std::vector<std::string> keys;
  for (int i = 0; i < 4; ++i) keys.push_back(scenario.Key("shared"));
  const auto write = [&] {
    for (std::int64_t i = prng.Between(3, 12); i > 0; --i) scenario.PutTogether(keys);
  };
  const Write first = scenario.PutTogether(keys);
  const auto watch = [&](const std::string& name, const std::string& key) {
    scenario.Watch({.group = name,
                    .count = 5,
                    .range = OneKey(key),
                    .start = prng.Chance(0.5) ? first.revision() : FromNow(),
                    .first_id = 1,
                    .stream = name,
                    .beside = name == "first" ? "" : "first"});
    scenario.AwaitCreated(name);
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
  for (const char* group : {"first", "fourth"}) scenario.AwaitDelivered(group);
}

WATCH_CASE(Isolated, ClosedWhileBehind,
           {.requirement = "no watch disturbs another (etcd API, watch guarantees)",
            .explain = "A client closes a stream with a full queue while many of its watches "
                       "are behind. Watches on another connection follow the same key, some of "
                       "them created at that moment. They must receive everything.",
            .level = Level::kMust,
            .needs = {Capability::kProxy},
            .guarantees = {"Isolated", "Reliable"}}) {
  Prng prng = scenario.Random("shape");
  const std::string key = scenario.Key("busy");
  const Write first = scenario.Put(key);
  scenario.Watch({.group = "closed", .count = 200, .range = OneKey(key)});
  scenario.Watch({.group = "free", .count = 10, .range = OneKey(key), .stream = "direct/free"});
  for (const char* group : {"closed", "free"}) scenario.AwaitCreated(group);
  scenario.Inject("stall");
  for (std::int64_t i = prng.Between(20, 30); i > 0; --i) scenario.Put(key, {1000, 4000});
  scenario.AwaitEffect("stall");
  scenario.Require("closed", RequireStep::Fact::kBehind);
  scenario.Watch({.group = "late",
                  .count = 10,
                  .range = OneKey(key),
                  .start = first.revision(),
                  .stream = "direct/free"});
  scenario.Add(CloseStep{"main"});
  for (std::int64_t i = prng.Between(5, 10); i > 0; --i) scenario.Put(key);
  scenario.Add(MustDeliverStep{"free"});
  scenario.Add(MustDeliverStep{"late"});
  scenario.Heal("stall");
}

WATCH_CASE(Reliable, FinishedRequests,
           {.requirement = "a watch lasts until it is cancelled or its stream ends (etcd API, "
                           "Watch)",
            .explain = "A client ends its half of a stream after its creates, as a client that "
                       "has nothing more to ask does. The watches, live and from history, must "
                       "go on.",
            .level = Level::kMust,
            .needs = {},
            .guarantees = {"Reliable", "Settled"}}) {
  Prng prng = scenario.Random("shape");
  const std::string key = scenario.Key("half");
  const Write first = scenario.Put(key);
  for (std::int64_t i = prng.Between(10, 30); i > 0; --i) scenario.Put(key);
  scenario.Watch({.group = "live", .count = 3, .range = OneKey(key)});
  scenario.Watch({.group = "late", .count = 3, .range = OneKey(key), .start = first.revision()});
  scenario.Add(FinishRequestsStep{});
  for (const char* group : {"live", "late"}) scenario.AwaitCreated(group);
  for (std::int64_t i = prng.Between(10, 30); i > 0; --i) scenario.Put(key);
  for (const char* group : {"live", "late"}) scenario.AwaitDelivered(group);
}

}  // namespace
}  // namespace watchproof
