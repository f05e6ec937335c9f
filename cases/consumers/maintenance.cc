// SPDX-License-Identifier: Apache-2.0
// What operators do to a store, or what forces them to, while a consumer follows keys.
#include "cases/consumers/followed_keys.h"

namespace watchproof {
namespace {

constexpr ValueSize kOfFreedSpace{8'000, 16'000};

CONSUMER_CASE(
    IdleAtCompaction,
    {.explain = "The consumer's watch has received everything when the store is compacted at "
                "its head, and nothing is written for a while. No change that the watch waits "
                "for is gone, so it must go on.",
     .needs = {Capability::kProxy, Capability::kCompaction}}) {
  Prng prng = scenario.Random("shape");
  FollowedKeys keys(scenario, 6);
  keys.Write(prng.Between(5, 15));
  Follow(scenario);
  scenario.Compact(AtHead());
  // A false ErrCompacted comes while it waits.
  scenario.Hold(200ms, 300ms);
  keys.Write(prng.Between(5, 15));
}

CONSUMER_CASE(
    Defragmentation,
    {.explain = "History is compacted and the backend is defragmented while clients write the "
                "keys that the consumer follows. The store may answer late, but no change may "
                "be missing.",
     .needs = {Capability::kProxy, Capability::kCompaction, Capability::kDurable}}) {
  Prng prng = scenario.Random("shape");
  FollowedKeys keys(scenario, 6);
  const std::string moved = keys.New();
  keys.Write(prng.Between(5, 15));
  Follow(scenario);
  for (std::int64_t i = prng.Between(60, 90); i > 0; --i) scenario.Put(moved, kOfFreedSpace);
  scenario.Add(AwaitConsumerStep{AwaitConsumerStep::Fact::kReceived});
  scenario.Compact(AtHead());
  scenario.BeginLoad({.clients = 2, .calls = 60, .key = FollowedStem(), .direct = true});
  scenario.Inject("defragment");
  scenario.AwaitEffect("defragment");
  keys.Write(prng.Between(5, 15));
  scenario.AwaitLoad();
}

CONSUMER_CASE(
    NoSpaceAlarm,
    {.explain = "The alarm for a full backend (NOSPACE) is raised: the store rejects puts, and "
                "takes deletions. The consumer must come to these while the alarm lasts, and "
                "to what is put when it is over.",
     .needs = {Capability::kProxy, Capability::kServerOfItsOwn}}) {
  Prng prng = scenario.Random("shape");
  FollowedKeys keys(scenario, 6);
  std::vector<std::string> removed;
  for (std::int64_t i = prng.Between(5, 10); i > 0; --i) removed.push_back(keys.New());
  for (const std::string& key : removed) scenario.Put(key);
  keys.Write(prng.Between(5, 15));
  Follow(scenario);
  scenario.Inject("no-space");
  scenario.AwaitEffect("no-space");
  for (const std::string& key : removed) scenario.Delete(key);
  scenario.Add(AwaitConsumerStep{AwaitConsumerStep::Fact::kFollowed});
  scenario.Heal("no-space");
  // The others stay deleted, so that a layer that has missed it still holds them at the end.
  scenario.Put(removed.front());
  keys.Write(prng.Between(5, 15));
}

}  // namespace
}  // namespace watchproof
