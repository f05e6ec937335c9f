// SPDX-License-Identifier: Apache-2.0
// A member of a cluster crashes right after its database was synced, and must then hold what its
// log says that it holds.
#include "cases/support/watch_case.h"
#include "harness/scenario/steps/member.h"

namespace watchproof {
namespace {

constexpr int kCrashes = 2;  // the member
// More than one batch of a compaction, each of which ends in a commit of its own.
constexpr int kTransactions = 40;
constexpr std::size_t kKeysEach = 100;

WATCH_CASE(Durable, MemberCrashInCompaction,
           {.requirement = "any completed operations are durable (etcd KV API guarantees, "
                           "durability), on each member",
            .explain = "Many clients write while a member compacts in several batches, and the "
                       "member is killed right after a sync of its database. What it holds and "
                       "delivers afterwards must be what the others hold (etcd #13766: a write is "
                       "counted as applied in a commit that came before it, and is left out).",
            .needs = {Capability::kCluster, Capability::kDurable, Capability::kDisk,
                      Capability::kCompaction},
            .guarantees = {"Durable", "Reliable", "Fields", "Settled"},
            .upstream = {13766}}) {
  const std::string stem = scenario.Key("member");
  const std::vector<std::string> many = scenario.Keys("many", {kKeysEach, kKeysEach});
  scenario.Cluster({.members = 3});
  Write floor{};
  for (const std::string round : {"1", "2", "3", "4", "5", "6", "7", "8", "9", "10"}) {
    const std::string crash = "crash-point/" + round;
    for (int i = 0; i < kTransactions; ++i) scenario.PutTogether(many);
    floor = scenario.Put(stem + "/floor");
    scenario.BeginLoad({.load = round,
                        .clients = 24,
                        .calls = 60,
                        .keys = 100,
                        .key = stem,
                        .direct = true,
                        .guarded = true});
    scenario.Hold(20ms, 60ms);
    scenario.Inject(crash, {{"member", std::to_string(kCrashes)},
                            {"files", "database"},
                            {"calls", "sync"},
                            {"from", std::to_string(2 * scenario.Between(3, 5))},
                            {"when", "after"}});
    scenario.Add(CompactStep{.at = floor, .at_once = true});
    scenario.AwaitEffectAndHeal(crash);
    scenario.AwaitLoad(round);
  }
  scenario.Open({.group = "on it",
                 .range = Below(stem),
                 .start = floor,
                 .stream = "on it",
                 .member = kCrashes});
  scenario.Put(stem + "/after");
  scenario.AwaitDelivered("on it");
}

}  // namespace
}  // namespace watchproof
