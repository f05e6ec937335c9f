// SPDX-License-Identifier: Apache-2.0
// A key is deleted while the consumer is away, and the store is compacted beyond that. The next
// list does not have the key, so that an informer must make up the deletion for its handlers.
#include "cases/consumers/followed_keys.h"

namespace watchproof {
namespace {

CONSUMER_CASE(
    DeletionBetweenLists,
    {.explain = "The consumer's connection is cut and new ones are refused. Meanwhile a key is "
                "deleted, and the store is compacted beyond the deletion, so that no watch can "
                "deliver it. The informer lists again, misses the key in the list, and must "
                "hand its handlers a deletion of unknown last state "
                "(DeletedFinalStateUnknown): without it a controller never cleans up.",
     .needs = {Capability::kProxy, Capability::kCompaction},
     .guarantees = {"CompactionSurfaced"}}) {
  FollowedKeys keys(scenario, 6);
  const std::string ghost = keys.New();
  scenario.Put(ghost);
  keys.Write(scenario.Random("before").Between(5, 15));
  FollowAndCutOff(scenario);
  scenario.Delete(ghost);
  keys.Write(10);
  scenario.Compact(AtHead());
  scenario.Heal("refuse");
  keys.Write(5);
  scenario.Add(ExpectReportStep{.kind = "error"});
  scenario.Add(ExpectReportStep{.kind = "relist", .layer = "reflector"});
  scenario.Add(
      ExpectReportStep{.kind = "handled", .layer = "handler", .type = "tombstone", .key = ghost});
}

}  // namespace
}  // namespace watchproof
