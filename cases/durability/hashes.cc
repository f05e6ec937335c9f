// SPDX-License-Identifier: Apache-2.0
// A hash of the history up to a revision is that of this history, whatever comes later.
#include "cases/support/watch_case.h"
#include "harness/scenario/steps/auth.h"
#include "harness/scenario/steps/lease.h"
#include "harness/scenario/steps/maintenance.h"

namespace watchproof {
namespace {

// Puts, deletions and transactions, some of them of keys on a lease, which is revoked.
void WriteSome(Scenario& scenario, const std::vector<std::string>& keys, const std::string& lease) {
  scenario.Add(LeaseStep{lease, 600s});
  scenario.PutOnLease(keys[0], lease);
  scenario.PutOnLease(keys[1], lease);
  scenario.PutTogether(keys);
  scenario.PutOnLease(keys[2], lease);
  scenario.Delete(keys[3]);
  scenario.Add(RevokeStep{lease});
  scenario.Put(keys[3]);
}

// What was hashed is what watches receive.
void ReadHistory(Scenario& scenario, const std::string& stem, const Write& from) {
  scenario.Open({.group = "history", .range = Below(stem), .start = from, .stream = "later"});
  scenario.AwaitDelivered("history");
}

// A revision above one that the store is compacted to, and what is below it.
Write HashedRevision(Scenario& scenario, const std::vector<std::string>& keys) {
  WriteSome(scenario, keys, "first");
  const Write floor = scenario.Put(keys[0]);
  WriteSome(scenario, keys, "second");
  // What a lease took with it, only a watch shows, which must not be compacted away.
  scenario.AwaitDelivered("live");
  scenario.Compact(floor);
  return scenario.Put(keys[4]);
}

constexpr const char* kHashRequirement =
    "the hash of all keys up to a revision is the same whenever it is asked for, as long as the "
    "store is compacted to the same revision (etcd API, Maintenance service, HashKV)";

WATCH_CASE(Serializable, HashOfThePast,
           {.requirement = kHashRequirement,
            .explain = "The hash of a revision is asked for before and after more writes, "
                       "deletions and ends of leases, with the store compacted before. It must "
                       "not change.",
            .needs = {Capability::kLeases, Capability::kCompaction, Capability::kMaintenance},
            .guarantees = {"Serializable", "Linearizable"}}) {
  const std::string stem = scenario.Key("hashed");
  const std::vector<std::string> keys = scenario.Keys(stem, {5, 8});
  scenario.Open({.group = "live", .range = Below(stem)});
  scenario.PutTogether(keys);
  const Write at = HashedRevision(scenario, keys);
  scenario.Add(HashStep{at});
  WriteSome(scenario, keys, "third");
  scenario.Add(HashStep{at});
  scenario.Add(HashStep{AtHead()});
  scenario.Add(HashStep{AtHead()});
  for (const char* call : {"hash", "hash kv", "member list"}) scenario.Add(OperatorStep{call});
  ReadHistory(scenario, stem, at);
}

WATCH_CASE(Serializable, HashAcrossRestart,
           {.requirement = kHashRequirement,
            .explain = "The hash of a revision is asked for before and after the server is "
                       "defragmented, killed "
                       "and started again, with writes, ends of leases and a compaction around. "
                       "It must not change.",
            .needs = {Capability::kLeases, Capability::kCompaction, Capability::kMaintenance,
                      Capability::kDurable},
            .guarantees = {"Serializable", "Linearizable"}}) {
  const std::string stem = scenario.Key("hashed");
  const std::vector<std::string> keys = scenario.Keys(stem, {5, 8});
  scenario.Open({.group = "live", .range = Below(stem)});
  scenario.PutTogether(keys);
  // So that the defragmentation has something to give back.
  scenario.PutSome(keys[0], {10, 14}, {.least = 60 << 10, .most = 90 << 10});
  const Write at = HashedRevision(scenario, keys);
  scenario.Add(HashStep{at});
  WriteSome(scenario, keys, "third");
  scenario.Add(HashStep{AtHead()});
  scenario.Disturb("defragment");
  scenario.Add(HashStep{at});
  scenario.KillAndRestart();
  scenario.Add(HashStep{at});
  scenario.Add(HashStep{AtHead()});
  WriteSome(scenario, keys, "fourth");
  scenario.Add(HashStep{at});
  ReadHistory(scenario, stem, at);
}

// What is below the floor is taken away in steps, with pauses, long after the answer.
WATCH_CASE(Serializable, HashWhileCompacting,
           {.requirement = kHashRequirement,
            .explain = "Some hundred revisions are written, and the store is compacted to the last "
                       "of them. While it takes away what is below, ten at a time, and when it "
                       "has, the hash of a revision above is asked for. It must not change.",
            .needs = {Capability::kCompaction, Capability::kMaintenance},
            .guarantees = {"Serializable", "Reliable"}}) {
  scenario.Cluster({.compaction_batch = 10});
  const std::string stem = scenario.Key("hashed");
  scenario.Open({.group = "live", .range = Below(stem)});
  scenario.BeginLoad({.load = "history",
                      .clients = 8,
                      .calls = 50,
                      .keys = 20,
                      .key = stem,
                      .direct = true,
                      .puts_only = true});
  scenario.AwaitLoad("history");
  scenario.AwaitDelivered("live");
  const Write floor = scenario.Put(stem + "/last");
  const Write at = scenario.Put(stem + "/above");
  scenario.Add(CompactStep{.at = floor, .at_once = true});
  for (int i = 0; i < 4; ++i) scenario.Add(HashStep{at});
  scenario.PutSome(stem + "/last", {2, 6});
  scenario.Hold(800ms, 1200ms);
  scenario.Add(HashStep{at});
  ReadHistory(scenario, stem, floor);
}

}  // namespace
}  // namespace watchproof
