// SPDX-License-Identifier: Apache-2.0
// A member that has fallen too far behind gets a snapshot of the whole store instead of the writes
// that it missed. The watches that it serves stay open, and the snapshot must be invisible to them.
#include "cases/support/watch_case.h"
#include "harness/scenario/steps/member.h"

namespace watchproof {
namespace {

constexpr int kBehind = 2;  // the member that falls behind
// The log of the leader keeps 5000 entries behind its last snapshot for slow followers.
constexpr std::size_t kWriters = 8;
constexpr std::size_t kWritesOfEach = 800;

// Lets the member fall behind until it needs a snapshot, and waits until it has applied one.
void FallBehind(Scenario& scenario, const std::string& fault) {
  scenario.Inject(fault, {{"member", std::to_string(kBehind)}});
  scenario.AwaitEffect(fault);
  scenario.BeginLoad({.clients = kWriters,
                      .calls = kWritesOfEach,
                      .keys = 100,
                      .key = scenario.Key("meanwhile"),
                      .direct = true,
                      .puts_only = true});
  scenario.AwaitLoad();
  scenario.Heal(fault);
  scenario.Add(AwaitSnapshotStep{kBehind});
  scenario.Add(AwaitCaughtUpStep{kBehind});
}

void WatchAcrossASnapshot(Scenario& scenario, const std::string& fault) {
  const std::string stem = scenario.Key("seen");
  scenario.Cluster({.members = 3, .snapshot_count = 100});
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

void WatchTheFutureAcrossASnapshot(Scenario& scenario, const std::string& fault) {
  constexpr std::int64_t kAhead = 7000;  // more than is written while it is behind
  const std::string key = scenario.Key("future");
  scenario.Cluster({.members = 3, .snapshot_count = 100});
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
                      .clients = kWriters,
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

}  // namespace
}  // namespace watchproof
