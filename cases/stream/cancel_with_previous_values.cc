// SPDX-License-Identifier: Apache-2.0
// Until its answer a cancel has not ended the watch: what arrives before is an event like others,
// with all that the watch asked for.
#include "cases/support/watch_case.h"

namespace watchproof {
namespace {

WATCH_CASE(PreviousValue, CancelDuringStall,
           {.requirement = "prev_kv: the created watcher gets the previous key-value before the "
                           "event happens (etcd API, WatchCreateRequest)",
            .explain = "The events of some watches with previous values wait in a full queue when "
                       "the client cancels the watches. Each event that still comes before the "
                       "answer to the cancel must have its previous value. etcd forgets with the "
                       "cancel what the watch had asked for.",
            .level = Level::kMust,
            .needs = {Capability::kClientChosenIds, Capability::kPreviousValues},
            .guarantees = {"PreviousValue", "Reliable"}}) {
  Prng prng = scenario.Random("shape");
  const std::string key = scenario.Key("busy");
  scenario.Put(key);
  scenario.Watch({.group = "stay", .count = 5, .range = OneKey(key), .first_id = 1});
  scenario.Watch({.group = "leave",
                  .count = 100,
                  .range = OneKey(key),
                  .first_id = 5001,
                  .options = {.prev_kv = true}});
  for (const char* group : {"stay", "leave"}) scenario.AwaitCreated(group);
  scenario.Inject("stall");
  for (std::int64_t i = prng.Between(20, 30); i > 0; --i) scenario.Put(key, {1000, 4000});
  scenario.AwaitEffect("stall");
  scenario.Require("leave", RequireStep::Fact::kBehind);
  scenario.Add(CancelStep{"leave", /*at_once=*/true});
  scenario.Heal("stall");
  scenario.AwaitDelivered("stay");
  scenario.Require("leave", RequireStep::Fact::kCancelled, 1s);
}

}  // namespace
}  // namespace watchproof
