// SPDX-License-Identifier: Apache-2.0
// Rights that change while a member of a cluster is away hold on that member, too.
#include "cases/support/member_behind.h"
#include "harness/scenario/steps/auth.h"

namespace watchproof {
namespace {

// Each member decides by its own store of rights whether a write of the log may be carried out. One
// that decides otherwise than the others has other data from there on.
WATCH_CASE(Durable, RightsWhileAway,
           {.requirement = "any completed operations are durable (etcd KV API guarantees, "
                           "durability), on each member",
            .explain = "While a follower is away, a user is added and another one gets one more "
                       "right; so much is written that the follower is then sent a snapshot. Both "
                       "users write. The follower must carry out what the others do (etcd #14571: "
                       "it goes on with the rights from before, refuses the writes for itself, and "
                       "has other data from there on).",
            .needs = {Capability::kCluster, Capability::kUsers},
            .guarantees = {"Durable", "Reliable", "Linearizable", "Settled"},
            .upstream = {14571}}) {
  const std::string stem = scenario.Key("rights");
  const WatchedRange own = Below(stem);
  scenario.Cluster(kClusterWithSnapshots);
  scenario.PutSome(stem + "/a", {3, 9});
  scenario.Add(AuthStep{{{.user = "reader", .key = own.key, .range_end = own.range_end}}});
  const auto write_as = [&](const std::string& user, const std::string& load, std::size_t keys) {
    scenario.BeginLoad({.load = load,
                        .clients = 2,
                        .calls = 20,
                        .keys = keys,
                        .key = stem,
                        .direct = true,
                        .puts_only = true,
                        .user = user});
    scenario.AwaitLoad(load);
  };
  // What a member has looked up once, it may remember.
  scenario.Add(PermitStep{.user = "early", .key = stem + "/0"});
  write_as("early", "before", 1);
  scenario.Open(
      {.group = "on it", .range = own, .user = "reader", .stream = "on it", .member = kBehind});
  scenario.Add(OperatorStep{"auth status"});
  WriteWhileAway(scenario, "isolate");
  scenario.Add(PermitStep{.user = "early", .key = own.key, .range_end = own.range_end});
  scenario.Add(PermitStep{.user = "late", .key = own.key, .range_end = own.range_end});
  scenario.Heal("isolate");
  scenario.Add(AwaitSnapshotStep{kBehind});
  scenario.Add(AwaitCaughtUpStep{kBehind});
  scenario.Add(OperatorStep{"auth status"});
  write_as("early", "early", 10);
  write_as("late", "late", 10);
  scenario.AwaitDelivered("on it");
}

// The member that is asked refuses it for what it reads. The others get it from the log, and must
// refuse it, too.
WATCH_CASE(Reliable, RefusedForItsRead,
           {.requirement = "a transaction is atomic, and a request that is answered with an error "
                           "has changed nothing (etcd API, KV API guarantees)",
            .explain = "A user that may write one key makes one transaction that puts it and reads "
                       "another key, which that user may not read. It is refused, so no watch on "
                       "any member may receive the put (etcd #18667: the other members leave the "
                       "read out, find nothing to refuse, and have other data from there on).",
            .needs = {Capability::kCluster, Capability::kUsers},
            .guarantees = {"Reliable", "Unique"},
            .upstream = {18667}}) {
  constexpr int kMembers = 3;
  const std::string stem = scenario.Key("refused");
  const WatchedRange all = Below(stem);
  scenario.Cluster({.members = kMembers});
  scenario.PutSome(stem + "/secret", {1, 5});
  scenario.Add(AuthStep{{{.user = "reader", .key = all.key, .range_end = all.range_end}}});
  scenario.Add(PermitStep{.user = "writer", .key = stem + "/own"});
  const auto named = [](int member) { return "on member " + std::to_string(member); };
  for (int member = 1; member <= kMembers; ++member) {
    scenario.Open(
        {.group = named(member), .range = all, .stream = named(member), .member = member});
  }
  scenario.Add(CallsStep{.user = "writer",
                         .calls = {TxnStep{.writes = {PutStep{stem + "/own", scenario.Value()},
                                                      ReadStep{.key = stem + "/secret"}}}}});
  scenario.PutSome(stem + "/after", {1, 5});
  for (int member = 1; member <= kMembers; ++member) scenario.AwaitDelivered(named(member));
}

// A member that puts a received snapshot in place opens the new database before its store of rights
// knows of it. Whoever is asked about rights meanwhile must not look into the old one.
WATCH_CASE(Durable, RightsInSnapshot,
           {.requirement = "a member answers a call, or refuses it, and goes on (etcd API, "
                           "authentication)",
            .explain = "With authentication, calls that need rights are made to a follower with a "
                       "slow disk while it is sent a snapshot. It must answer them, or refuse "
                       "them, and follow.",
            .needs = {Capability::kCluster, Capability::kUsers, Capability::kDisk},
            .guarantees = {"Durable", "Reliable", "Settled"}}) {
  const std::string stem = scenario.Key("rights");
  const WatchedRange own = Below(stem);
  const std::string follower = std::to_string(kBehind);
  scenario.Cluster(kClusterWithSnapshots);
  scenario.PutSome(stem + "/a", {3, 9});
  scenario.Add(AuthStep{{{.user = "reader", .key = own.key, .range_end = own.range_end}}});
  scenario.Open(
      {.group = "on it", .range = own, .user = "reader", .stream = "on it", .member = kBehind});
  scenario.Add(PermitStep{.user = "asker", .key = own.key, .range_end = own.range_end});
  scenario.BeginLoad({.load = "asked",
                      .clients = 24,
                      .calls = 100'000,
                      .key = stem,
                      .direct = true,
                      .reads_only = true,
                      .serializable = true,
                      .pause = 2ms,
                      .member = kBehind,
                      .user = "asker"});
  WriteWhileAway(scenario, "isolate");
  scenario.Inject(
      "slow-disk",
      {{"member", follower}, {"files", "*member/snap/db"}, {"calls", "sync"}, {"hold", "300ms"}});
  scenario.Heal("isolate");
  scenario.Add(AwaitSnapshotStep{kBehind});
  scenario.Hold(500ms, 1500ms);
  scenario.AwaitEffectAndHeal("slow-disk");
  scenario.Add(StopLoadStep{"asked"});
  scenario.Add(AwaitCaughtUpStep{kBehind});
  scenario.PutSome(stem + "/a", {3, 9});
  scenario.AwaitDelivered("on it");
}

}  // namespace
}  // namespace watchproof
