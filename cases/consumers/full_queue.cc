// SPDX-License-Identifier: Apache-2.0
// A consumer's watch that begins below the compaction floor while the queue of its stream is full.
// A server that drops the notice leaves a deleted key in the consumer's cache for ever.
#include "cases/consumers/followed_keys.h"

namespace watchproof {
namespace {

constexpr int kNeighbours = 100;
constexpr int kFatPuts = 60;
constexpr std::size_t kFatBytes = 16 * 1024;

CONSUMER_CASE(
    FullQueue,
    {.explain = "One hundred watches share the stream of the consumer's client. The proxy holds "
                "back what the store sends on it until the store's queue for that stream is "
                "full. Then the consumer lists; before it watches, a key is deleted and the "
                "store compacted, so this watch begins below the floor and must end with "
                "ErrCompacted. A store that drops the notice lets the watch go on behind the "
                "gap (etcd #17529).",
     .needs = {Capability::kProxy, Capability::kCompaction},
     .guarantees = {"CompactionSurfaced"},
     .upstream = {17529}}) {
  FollowedKeys keys(scenario, 4);
  const std::string ghost = keys.New();
  const std::string hot = keys.New();
  scenario.Put(ghost);
  scenario.Put(hot);
  keys.Write(scenario.Random("before").Between(2, 8));
  scenario.Add(FollowStep{.with = FollowStep::With::kNeighbour, .count = kNeighbours});
  scenario.Add(AwaitRegisteredStep{kNeighbours});

  scenario.Inject("hold-stream");
  for (int i = 0; i < kFatPuts; ++i) scenario.Put(hot, {kFatBytes, kFatBytes});
  scenario.AwaitEffect("hold-stream");
  scenario.Add(FollowStep{.pause = true});
  scenario.Add(AwaitConsumerStep{AwaitConsumerStep::Fact::kListed});
  scenario.Delete(ghost);
  scenario.Put(hot);
  scenario.Compact(AtHead());
  // Neighbours may end with ErrCompacted, so that a count of watches says nothing.
  scenario.Add(ContinueStep{.await_watch = true});
  scenario.Add(AwaitSyncPassesStep{3});
  scenario.Heal("hold-stream");
  scenario.Put(hot);
}

}  // namespace
}  // namespace watchproof
