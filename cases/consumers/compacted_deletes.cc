// SPDX-License-Identifier: Apache-2.0
// A key is deleted while the consumer cannot see it, and the store is compacted: at the deletion,
// and beyond it.
#include "cases/consumers/followed_keys.h"

namespace watchproof {
namespace {

[[maybe_unused]] const bool kAtFloor = AddCase(
    CaseWithConsumer(
        {.name = "Consumers.DeleteAtFloor",
         .explain = "Between the consumer's list and its watch a key is deleted and the store is "
                    "compacted at the deletion, where the watch begins. It must receive the "
                    "deletion or ErrCompacted. A store that removes the tombstone delivers "
                    "neither, and the consumer keeps the key (etcd #18089).",
         .needs = {Capability::kCompaction},
         .upstream = {18089},
         .file = __FILE__,
         .line = __LINE__}),
    [](Scenario& scenario) {
      FollowedKeys keys(scenario, 4);
      const std::string ghost = keys.New();
      scenario.Put(ghost);
      keys.Write(scenario.Random("before").Between(2, 8));
      scenario.PermitCompactedAtTheFloor();
      scenario.Add(FollowStep{.pause = true});
      scenario.Add(AwaitConsumerStep{AwaitConsumerStep::Fact::kListed});
      const Write gone = scenario.Delete(ghost);
      scenario.Put(keys.New());
      scenario.Compact(gone.revision());
      scenario.Add(ContinueStep{});
      scenario.Put(keys.New());
    });

[[maybe_unused]] const bool kWhileAway = AddCase(
    CaseWithConsumer(
        {.name = "Consumers.CompactionWhileAway",
         .explain = "The consumer's connection is cut and new ones are refused. Meanwhile keys are "
                    "put and deleted, and the store is compacted beyond them. The consumer must "
                    "notice that it has missed changes, and list again.",
         .needs = {Capability::kProxy, Capability::kCompaction},
         .guarantees = {"CompactionSurfaced"},
         .file = __FILE__,
         .line = __LINE__}),
    [](Scenario& scenario) {
      FollowedKeys keys(scenario, 6);
      const std::string ghost = keys.New();
      scenario.Put(ghost);
      keys.Write(20);
      scenario.Add(FollowStep{});
      scenario.Add(AwaitConsumerStep{AwaitConsumerStep::Fact::kFollowed});
      // A list comes to the head before there is a watch.
      scenario.Add(AwaitRegisteredStep{1});
      scenario.Inject("refuse");
      scenario.Inject("reset");
      scenario.AwaitEffect("refuse");
      scenario.AwaitEffect("reset");
      scenario.Heal("reset");
      scenario.Delete(ghost);
      keys.Write(20);
      scenario.Compact(AtHead());
      scenario.Heal("refuse");
      keys.Write(5);
    });

}  // namespace
}  // namespace watchproof
