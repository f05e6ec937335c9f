// SPDX-License-Identifier: Apache-2.0
// A follower is sent a snapshot of the store while something of its own is not done yet, since a
// call to its disk is slow: the newer one must not lose what is under way, nor the other way round.
#include "cases/support/member_behind.h"

namespace watchproof {
namespace {

const std::string kFollower = std::to_string(kBehind);

// One call of the follower is held until the fault is healed.
void HoldOne(Scenario& scenario, const std::string& files, const std::string& call) {
  scenario.Inject(
      "slow-disk",
      {{"member", kFollower}, {"files", files}, {"calls", call}, {"times", "1"}, {"hold", "180s"}});
}

void Release(Scenario& scenario) {
  scenario.Hold(0ms, 1500ms);
  scenario.Heal("slow-disk");
}

WATCH_CASE(Durable, StoppedAfterTwoSnapshots,
           {.requirement = "any completed operations are durable (etcd KV API guarantees, "
                           "durability)",
            .explain = "A follower saves a snapshot of its own, and its disk is slow, so that it "
                       "is sent a newer one meanwhile. Once both are there it is killed, or "
                       "stopped in order. It must start again, with the newer one, and serve what "
                       "the others serve.",
            .needs = {Capability::kCluster, Capability::kDurable, Capability::kDisk},
            .guarantees = {"Durable", "Reliable", "Settled"}}) {
  const std::string stem = scenario.Key("snapshot");
  scenario.Cluster(kClusterWithSnapshots);
  HoldOne(scenario, "*.snap", "sync");
  scenario.PutSome(stem, {110, 150});
  scenario.AwaitEffect("slow-disk");
  WriteWhileAway(scenario, "isolate");
  scenario.Heal("isolate");
  scenario.Add(AwaitSnapshotStep{kBehind});
  scenario.Heal("slow-disk");
  scenario.Hold(50ms, 500ms);
  if (scenario.Chance(0.5)) scenario.PutSome(stem, {1, 20});
  scenario.Disturb(scenario.Pick<std::string>({"kill", "restart"}), {{"member", kFollower}});
  MustFollow(scenario, stem);
}

WATCH_CASE(Durable, SnapshotInDefragmentation,
           {.requirement = "any completed operations are durable (etcd KV API guarantees, "
                           "durability)",
            .explain = "A follower that is behind defragments its database, which takes so long "
                       "that it is sent a snapshot meanwhile. Once both are done it must hold what "
                       "the others hold, also when it starts again (etcd #20271: the old file "
                       "comes back in the place of the received one).",
            .needs = {Capability::kCluster, Capability::kDurable, Capability::kDisk},
            .guarantees = {"Durable", "Reliable", "Settled"},
            .upstream = {20271}}) {
  const std::string stem = scenario.Key("snapshot");
  scenario.Cluster(kClusterWithSnapshots);
  scenario.PutSome(stem, {5, 10});
  WriteWhileAway(scenario, "isolate");
  HoldOne(scenario, "*member/snap/db.tmp*", "sync");
  scenario.Inject("defragment", {{"member", kFollower}, {"at-least", "0B"}, {"background", "yes"}});
  scenario.AwaitEffect("slow-disk");
  scenario.Heal("isolate");
  scenario.Add(AwaitSnapshotStep{kBehind});
  Release(scenario);
  scenario.AwaitEffectAndHeal("defragment");
  scenario.Add(AwaitCaughtUpStep{kBehind});
  scenario.PutSome(stem + "/a", {5, 10});
  scenario.Disturb(scenario.Pick<std::string>({"kill", "restart"}), {{"member", kFollower}});
  MustFollow(scenario, stem);
}

WATCH_CASE(Durable, SnapshotInSnapshot,
           {.requirement = "any completed operations are durable (etcd KV API guarantees, "
                           "durability)",
            .explain = "A follower puts a snapshot that it was sent in the place of its database, "
                       "which takes so long that it falls behind again and is sent a second one. "
                       "It must go on with the newer one (etcd #18055: the second one takes the "
                       "file of the first away, and the member ends).",
            .needs = {Capability::kCluster, Capability::kDurable, Capability::kDisk},
            .guarantees = {"Durable", "Reliable", "Settled"},
            .upstream = {18055}}) {
  const std::string stem = scenario.Key("snapshot");
  scenario.Cluster(kClusterWithSnapshots);
  scenario.PutSome(stem, {5, 10});
  WriteWhileAway(scenario, "isolate", true);
  HoldOne(scenario, "*member/snap/db", "rename");
  scenario.Heal("isolate");
  scenario.AwaitEffect("slow-disk");
  // One that has sent a snapshot keeps its log for half a minute.
  scenario.Disturb("move-leader", {{"to", "3"}});
  // That it is behind shows in the second snapshot, if it answers nothing meanwhile.
  WriteWhileAway(scenario, "isolate/2", true);
  scenario.Heal("isolate/2");
  scenario.Add(AwaitSnapshotStep{.member = kBehind, .count = 2});
  Release(scenario);
  MustFollow(scenario, stem);
}

WATCH_CASE(Durable, HashInSnapshot,
           {.requirement = "a member answers a call, or refuses it, and goes on (etcd API, "
                           "maintenance)",
            .explain = "Clients ask a follower for hashes of its store, again and again, while it "
                       "is sent snapshots. It must go on and follow (etcd #22637: a hash writes "
                       "to the database that the snapshot has taken the place of, and the member "
                       "ends).",
            .needs = {Capability::kCluster, Capability::kProxy},
            .guarantees = {"Durable", "Reliable", "Settled"},
            .upstream = {22637}}) {
  const std::string stem = scenario.Key("hashed");
  scenario.Cluster(kClusterWithSnapshots);
  WriteWhileAway(scenario, "isolate");
  scenario.BeginLoad({.load = "hashes",
                      .clients = 24,
                      .calls = 100'000,
                      .key = stem,
                      .direct = true,
                      .hashes_only = true,
                      .pause = 2ms,
                      .member = kBehind});
  scenario.Heal("isolate");
  scenario.Add(AwaitSnapshotStep{kBehind});
  scenario.Hold(500ms, 1s);
  scenario.Add(StopLoadStep{"hashes"});
  MustFollow(scenario, stem);
}

}  // namespace
}  // namespace watchproof
