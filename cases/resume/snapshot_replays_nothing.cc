// SPDX-License-Identifier: Apache-2.0
// A member that has fallen too far behind is sent a snapshot of the whole store in place of the
// writes that it missed. Watches that it serves live on, and for them it must be as if it had been
// given the writes.
#include "cases/support/watch_case.h"

namespace watchproof {
namespace {

constexpr int kBehind = 2;  // the member that falls behind
// The log of the leader keeps 5000 entries behind its last snapshot for those who lag.
constexpr std::size_t kWriters = 8;
constexpr std::size_t kWritesOfEach = 800;

// Leaves the member behind until it must be sent a snapshot, and waits until it has it.
void FallBehind(Scenario& scenario, const std::string& fault) {
  scenario.Inject(fault, {{"member", std::to_string(kBehind)}});
  scenario.AwaitEffect(fault);
  scenario.BeginLoad({.clients = kWriters,
                      .calls = kWritesOfEach,
                      .keys = 100,
                      .key = scenario.Key("meanwhile"),
                      .side = true,
                      .puts_only = true});
  scenario.AwaitLoad();
  scenario.Heal(fault);
  scenario.AwaitSnapshot(kBehind);
  scenario.AwaitCaughtUp(kBehind);
}

void WatchAcrossASnapshot(Scenario& scenario, const std::string& fault) {
  const std::string stem = scenario.Key("seen");
  Prng prng = scenario.Random("shape");
  scenario.Cluster({.members = 3, .snapshot_count = 100});
  scenario.Watch({.group = "there",
                  .count = 3,
                  .range = Prefix(stem + "/"),
                  .stream = "there",
                  .member = kBehind});
  scenario.AwaitCreated("there");
  for (std::int64_t i = prng.Between(20, 50); i > 0; --i) scenario.Put(stem + "/a");
  scenario.AwaitDelivered("there");
  FallBehind(scenario, fault);
  for (std::int64_t i = prng.Between(1, 5); i > 0; --i) scenario.Put(stem + "/b");
  scenario.AwaitDelivered("there");
}

WATCH_CASE(Unique, SnapshotForAPausedMemberReplaysNothing,
           {.requirement = "an event is never delivered twice (etcd API, watch guarantees, unique)",
            .explain = "A follower whose watches have been given everything is paused until it "
                       "has to be sent a snapshot. Its watches must not be given again what they "
                       "had (etcd #15271: they go back to where they once began).",
            .level = Level::kMust,
            .needs = {Capability::kCluster},
            .guarantees = {"Unique", "Ordered"},
            .upstream = {15271}}) {
  WatchAcrossASnapshot(scenario, "pause");
}

WATCH_CASE(Unique, SnapshotForAMemberCutOffReplaysNothing,
           {.requirement = "an event is never delivered twice (etcd API, watch guarantees, unique)",
            .explain = "As SnapshotForAPausedMemberReplaysNothing, but the follower runs on and "
                       "what it and the others say to each other disappears.",
            .level = Level::kMust,
            .needs = {Capability::kCluster, Capability::kProxy},
            .guarantees = {"Unique", "Ordered"},
            .upstream = {15271}}) {
  WatchAcrossASnapshot(scenario, "isolate");
}

void WatchTheFutureAcrossASnapshot(Scenario& scenario, const std::string& fault) {
  constexpr std::int64_t kAhead = 7000;  // more than is written while it is behind
  const std::string key = scenario.Key("future");
  Prng prng = scenario.Random("shape");
  scenario.Cluster({.members = 3, .snapshot_count = 100});
  scenario.Put(key);
  scenario.Watch({.group = "early bird",
                  .range = OneKey(key),
                  .start = AtHead(kAhead),
                  .stream = "there",
                  .member = kBehind});
  scenario.AwaitCreated("early bird");
  FallBehind(scenario, fault);
  for (std::int64_t i = prng.Between(20, 80); i > 0; --i) scenario.Put(key);
  scenario.AwaitCaughtUp(kBehind);
  // Lifts the store past the start of the watch.
  scenario.BeginLoad({.load = "the rest",
                      .clients = kWriters,
                      .calls = 100,
                      .key = scenario.Key("rest"),
                      .side = true,
                      .puts_only = true});
  scenario.AwaitLoad("the rest");
  scenario.Put(key);
  scenario.AwaitDelivered("early bird");
}

WATCH_CASE(Reliable, FutureWatchOfAPausedMemberGetsNothingEarly,
           {.requirement = "a watch delivers nothing from before its start revision (etcd API, "
                           "WatchCreateRequest)",
            .explain = "A watch on a follower starts thousands of revisions ahead; the follower "
                       "is paused until it has to be sent a snapshot. Until its start has come "
                       "the watch must hear nothing (etcd #20221: after a snapshot it is taken "
                       "for one that is caught up, and given what comes next).",
            .level = Level::kMust,
            .needs = {Capability::kCluster},
            .guarantees = {"Reliable"},
            .upstream = {20221}}) {
  WatchTheFutureAcrossASnapshot(scenario, "pause");
}

WATCH_CASE(Reliable, FutureWatchOfAMemberCutOffGetsNothingEarly,
           {.requirement = "a watch delivers nothing from before its start revision (etcd API, "
                           "WatchCreateRequest)",
            .explain = "As FutureWatchOfAPausedMemberGetsNothingEarly, but the follower runs on "
                       "and what it and the others say to each other disappears.",
            .level = Level::kMust,
            .needs = {Capability::kCluster, Capability::kProxy},
            .guarantees = {"Reliable"},
            .upstream = {20221}}) {
  WatchTheFutureAcrossASnapshot(scenario, "isolate");
}

}  // namespace
}  // namespace watchproof
