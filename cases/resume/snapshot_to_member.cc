// SPDX-License-Identifier: Apache-2.0
// A member that has fallen too far behind gets a snapshot of the whole store instead of the writes
// that it missed. The watches that it serves stay open, and the snapshot must be invisible to them.
#include "cases/support/member_behind.h"
#include "harness/scenario/steps/stream.h"

namespace watchproof {
namespace {

// Lets the member fall behind until it needs a snapshot, and waits until it has applied one.
void FallBehind(Scenario& scenario, const std::string& fault) {
  WriteWhileAway(scenario, fault);
  scenario.Heal(fault);
  scenario.Add(AwaitSnapshotStep{kBehind});
  scenario.Add(AwaitCaughtUpStep{kBehind});
}

void WatchAcrossASnapshot(Scenario& scenario, const std::string& fault) {
  const std::string stem = scenario.Key("seen");
  scenario.Cluster(kClusterWithSnapshots);
  scenario.Open(
      {.group = "behind", .count = 3, .range = Below(stem), .stream = "behind", .member = kBehind});
  scenario.PutSome(stem + "/a", {20, 50});
  scenario.AwaitDelivered("behind");
  FallBehind(scenario, fault);
  scenario.PutSome(stem + "/b", {1, 5});
  scenario.AwaitDelivered("behind");
}

WATCH_CASE(Unique, SnapshotToPausedMember,
           {.requirement = "an event is never delivered twice (etcd API, watch guarantees, unique)",
            .explain = "A follower with watches that have received every event is paused until it "
                       "needs a snapshot. Its watches must not receive those events again (etcd "
                       "#15271: they return to the revision at which they were opened).",
            .needs = {Capability::kCluster},
            .guarantees = {"Unique", "Ordered"},
            .upstream = {15271}}) {
  WatchAcrossASnapshot(scenario, "pause");
}

WATCH_CASE(Unique, SnapshotToIsolatedMember,
           {.requirement = "an event is never delivered twice (etcd API, watch guarantees, unique)",
            .explain = "As Unique.SnapshotToPausedMember, but the follower keeps running and all "
                       "messages between it and the other members are dropped.",
            .needs = {Capability::kCluster, Capability::kProxy},
            .guarantees = {"Unique", "Ordered"},
            .upstream = {15271}}) {
  WatchAcrossASnapshot(scenario, "isolate");
}

// A server that knows of each watch only its latest event has to find out anew, from the snapshot
// alone, that the watch has missed nothing.
WATCH_CASE(CompactionSurfaced, QuietWatchInSnapshot,
           {.requirement = "a watch is cancelled as compacted when it cannot catch up with the "
                           "store (etcd API, watch streams); progress says how far it has",
            .explain = "Of a follower's watches, those of a key that is not written any more have "
                       "been sent progress. The store is compacted to what they have reached, and "
                       "the follower is paused until it needs a snapshot. They have missed "
                       "nothing, and must go on.",
            .needs = {Capability::kCluster, Capability::kProgressRequest, Capability::kCompaction},
            .guarantees = {"CompactionSurfaced", "Reliable"}}) {
  const std::string quiet = scenario.Key("quiet");
  scenario.Cluster(kClusterWithSnapshots);
  scenario.Put(quiet);
  scenario.Open(
      {.group = "quiet", .count = 3, .range = OneKey(quiet), .stream = "on it", .member = kBehind});
  scenario.Put(quiet);
  const Write floor = scenario.PutSome(scenario.Key("busy"), {5, 20}).back();
  scenario.AwaitDelivered("quiet");
  scenario.Add(AwaitCaughtUpStep{kBehind});
  scenario.Add(AwaitProgressStep{"on it"});
  scenario.Compact(floor);
  FallBehind(scenario, "pause");
  scenario.PutSome(quiet, {1, 3});
  scenario.AwaitDelivered("quiet");
}

WATCH_CASE(Available, WriteAfterSnapshot,
           {.requirement = "a member that follows its leader takes writes",
            .explain = "A follower is cut off until it needs a snapshot, and nothing more is "
                       "written once it has it. It must take a write all the same, on which its "
                       "clients wait.",
            .needs = {Capability::kCluster, Capability::kProxy},
            .guarantees = {"Available", "Reliable"}}) {
  const std::string key = scenario.Key("after");
  scenario.Cluster(kClusterWithSnapshots);
  scenario.Open({.group = "on another", .range = OneKey(key)});
  scenario.Put(key);
  FallBehind(scenario, "isolate");
  scenario.Add(UseMemberStep{kBehind});
  scenario.Put(key);
  scenario.AwaitDelivered("on another");
}

void WatchTheFutureAcrossASnapshot(Scenario& scenario, const std::string& fault) {
  constexpr std::int64_t kAhead = 7000;  // more than is written while it is away
  const std::string key = scenario.Key("future");
  scenario.Cluster(kClusterWithSnapshots);
  scenario.Put(key);
  scenario.Open({.group = "future",
                 .range = OneKey(key),
                 .start = AtHead(kAhead),
                 .stream = "behind",
                 .member = kBehind});
  FallBehind(scenario, fault);
  scenario.PutSome(key, {20, 80});
  scenario.Add(AwaitCaughtUpStep{kBehind});
  // Advances the store past the start of the watch.
  scenario.BeginLoad({.load = "rest",
                      .clients = 8,
                      .calls = 100,
                      .key = scenario.Key("rest"),
                      .direct = true,
                      .puts_only = true});
  scenario.AwaitLoad("rest");
  scenario.Put(key);
  scenario.AwaitDelivered("future");
}

WATCH_CASE(Reliable, FutureStartPausedMember,
           {.requirement = "a watch delivers nothing from before its start revision (etcd API, "
                           "WatchCreateRequest)",
            .explain = "A watch on a follower starts thousands of revisions ahead; the follower "
                       "is paused until it needs a snapshot. Before its start the watch must "
                       "receive nothing (etcd #20221: after a snapshot the server takes it for "
                       "caught up and delivers the next events).",
            .needs = {Capability::kCluster},
            .guarantees = {"Reliable"},
            .upstream = {20221}}) {
  WatchTheFutureAcrossASnapshot(scenario, "pause");
}

WATCH_CASE(Reliable, FutureStartIsolatedMember,
           {.requirement = "a watch delivers nothing from before its start revision (etcd API, "
                           "WatchCreateRequest)",
            .explain = "As Reliable.FutureStartPausedMember, but the follower keeps running and "
                       "all messages between it and the other members are dropped.",
            .needs = {Capability::kCluster, Capability::kProxy},
            .guarantees = {"Reliable"},
            .upstream = {20221}}) {
  WatchTheFutureAcrossASnapshot(scenario, "isolate");
}

WATCH_CASE(Resumable, MemberReceivingSnapshot,
           {.requirement = "a watch resumes after the last event (etcd API, watch guarantees, "
                           "resumable), at any member of a cluster",
            .explain = "A follower is cut off until it needs a snapshot. While that is on its way, "
                       "over a slow link, writes go on, watches on the leader receive them, and "
                       "are resumed on the follower, which is far behind. Then it applies the "
                       "snapshot, which is older than the writes that they resume after. They "
                       "must not receive those again (etcd #20221: the server takes them for "
                       "caught up).",
            .needs = {Capability::kCluster, Capability::kProxy},
            .guarantees = {"Resumable", "Unique", "Ordered", "Reliable"},
            .upstream = {20221}}) {
  const std::string stem = scenario.Key("hopping");
  scenario.Cluster(kClusterWithSnapshots);
  scenario.Open({.group = "leader", .count = 3, .range = Below(stem)});
  scenario.PutSome(stem + "/a", {5, 20});
  const SnapshotOnItsWay snapshot = BeginSnapshot(scenario);
  scenario.PutSome(stem + "/b", {10, 20}, kFollowsSlowly);
  scenario.AwaitDelivered("leader");
  scenario.Disturb("reset");
  scenario.Add(AwaitEndedStep{"leader"});
  scenario.Resume("leader", "follower", kBehind);
  scenario.AwaitCreated("follower");
  scenario.Add(RequireMemberBehindStep{kBehind});
  EndSnapshot(scenario, snapshot);
  scenario.PutSome(stem + "/c", {1, 5});
  scenario.AwaitDelivered("follower");
}

}  // namespace
}  // namespace watchproof
