// SPDX-License-Identifier: Apache-2.0
// The power fails: the server is killed, and what it had not synced is gone from its disk.
#include "cases/support/drawn_crash.h"
#include "cases/support/member_behind.h"

namespace watchproof {
namespace {

// Long enough that an answer which does not wait for the disk comes before the power fails, and
// mostly shorter than etcd takes until its database, committed every 100 ms, has the write too.
const std::map<std::string, std::string> kSlow{{"files", "log"}, {"hold", "40ms"}};

LoadStep Writers(const std::string& name, const std::string& key) {
  return {.load = name,
          .clients = 8,
          .calls = 100,
          .keys = 20,
          .key = key,
          .direct = true,
          .puts_only = true};
}

WATCH_CASE(Durable, PowerFailure,
           {.requirement = "any completed operations are durable (etcd KV API guarantees, "
                           "durability)",
            .explain = "Eight clients write while each sync of the log takes 40 ms, and watches "
                       "follow. As the log is synced, the power fails: what was not synced is "
                       "gone. Every write that was "
                       "answered, and every event that was delivered, must be there afterwards, "
                       "and no revision may be given out twice (etcd #14370: a server without "
                       "other members answers, and delivers, before the log is synced).",
            .needs = {Capability::kDurable, Capability::kDisk},
            .guarantees = {"Durable", "Reliable", "Linearizable", "Settled"},
            .upstream = {14370}}) {
  const std::string stem = scenario.Key("power");
  scenario.Open({.group = "first", .count = 4, .range = Below(stem)});
  scenario.PutSome(stem + "/a", {10, 20});
  for (const std::string round : {"1", "2", "3", "4", "5", "6"}) {
    const std::string failure = "crash-point/" + round;
    scenario.Inject("slow-disk/" + round, kSlow);
    scenario.BeginLoad(Writers(round, stem));
    // The sync is held first: what does not wait for it is answered by then.
    scenario.Inject(failure, {{"files", "log"},
                              {"calls", "sync"},
                              {"from", std::to_string(scenario.Between(2, 8))},
                              {"power", "yes"}});
    scenario.AwaitEffectAndHeal(failure);
    scenario.Heal("slow-disk/" + round);
    scenario.AwaitLoad(round);
    scenario.PutSome(stem + "/a", {1, 5});
  }
  scenario.Resume("first", "second");
  scenario.PutSome(stem + "/a", {1, 5});
  scenario.AwaitDelivered("second");
}

WATCH_CASE(Durable, CrashAnywhere,
           {.requirement = "any completed operations are durable (etcd KV API guarantees, "
                           "durability)",
            .explain = "Clients put, delete, compare and read, and watches follow, six times until "
                       "the server is killed at a call to its disk: any file, any call, before or "
                       "after it; alone, or with the power, which leaves nothing, a part of the "
                       "unsynced pages, or a part of the last write. Every other time it compacts "
                       "or defragments meanwhile. Afterwards all that was answered and delivered "
                       "must be there, and no revision may be given out twice.",
            .needs = {Capability::kDurable, Capability::kDisk, Capability::kCompaction},
            .guarantees = {"Durable", "Reliable", "Linearizable", "Fields", "Settled"}}) {
  const std::string stem = scenario.Key("anywhere");
  scenario.Open({.group = "first", .count = 4, .range = Below(stem)});
  for (const std::string round : {"1", "2", "3", "4", "5", "6"}) {
    scenario.PutSome(stem + "/a", {10, 20});
    const Write floor = scenario.Put(stem + "/floor");
    const std::string crash = "crash-point/" + round;
    const std::string defragment = "defragment/" + round;
    const std::int64_t meanwhile = scenario.Between(0, 3);
    scenario.BeginLoad({.load = round, .clients = 8, .calls = 200, .key = stem, .direct = true});
    if (meanwhile == 1) scenario.Add(CompactStep{.at = floor, .at_once = true});
    scenario.Inject(crash, DrawnCrash(scenario, 100));
    if (meanwhile == 2) scenario.Inject(defragment, {{"at-least", "0B"}});
    scenario.AwaitEffectAndHeal(crash);
    scenario.AwaitLoad(round);
  }
  scenario.Resume("first", "second");
  scenario.PutSome(stem + "/a", {5, 10});
  scenario.AwaitDelivered("second");
}

WATCH_CASE(Durable, CrashInDefragmentation,
           {.requirement = "any completed operations are durable (etcd KV API guarantees, "
                           "durability)",
            .explain = "Clients write while the server defragments its database, and it is killed "
                       "as it puts the new file in the place of the old one. Afterwards the store "
                       "must be what it was: revisions, versions and keys (etcd #14685: the log "
                       "is applied once more to a database that has it already).",
            .needs = {Capability::kDurable, Capability::kDisk},
            .guarantees = {"Durable", "Reliable", "Linearizable", "Fields", "Settled"},
            .upstream = {14685}}) {
  const std::string stem = scenario.Key("defragmented");
  scenario.Open({.group = "first", .count = 2, .range = Below(stem)});
  scenario.PutSome(stem + "/a", {10, 20});
  // What was written since the last commit is in the new file, and counts as not applied: a commit
  // may have come just before.
  for (const std::string round : {"1", "2", "3"}) {
    const std::string crash = "crash-point/" + round;
    scenario.Inject(crash, {{"files", "database"}, {"calls", "rename"}});
    scenario.BeginLoad(Writers(round, stem));
    scenario.Hold(20ms, 150ms);
    scenario.Inject("defragment/" + round, {{"at-least", "0B"}});
    scenario.AwaitEffectAndHeal(crash);
    scenario.AwaitLoad(round);
  }
  scenario.Resume("first", "second");
  scenario.PutSome(stem + "/a", {5, 10});
  scenario.AwaitDelivered("second");
}

WATCH_CASE(Durable, PowerFailureInSnapshot,
           {.requirement = "any completed operations are durable (etcd KV API guarantees, "
                           "durability)",
            .explain = "A follower is away until it is sent a snapshot. As it puts the snapshot in "
                       "the place of its database, the power of that member fails. It must start "
                       "again, and serve what the others serve (etcd #22340: the folder of the "
                       "snapshot was not synced, and the log names a file that is gone).",
            .needs = {Capability::kCluster, Capability::kDurable, Capability::kDisk},
            .guarantees = {"Durable", "Reliable", "Settled"},
            .upstream = {22340}}) {
  const std::string stem = scenario.Key("snapshot");
  scenario.Cluster(kClusterWithSnapshots);
  scenario.PutSome(stem, {5, 10});
  WriteWhileAway(scenario, "pause");
  scenario.Inject("crash-point", {{"member", std::to_string(kBehind)},
                                  {"files", "*member/snap/db"},
                                  {"calls", "rename"},
                                  {"power", "yes"}});
  scenario.Heal("pause");
  scenario.AwaitEffectAndHeal("crash-point");
  MustFollow(scenario, stem);
}

}  // namespace
}  // namespace watchproof
