// SPDX-License-Identifier: Apache-2.0
// A member of a cluster crashes at a drawn call to its disk, again and again, and must then hold
// what the others hold.
#include "cases/support/drawn_crash.h"
#include "cases/support/member_behind.h"

namespace watchproof {
namespace {

const std::string kMember = std::to_string(kBehind);

LoadStep Mixed(const std::string& name, const std::string& key, int member) {
  return {.load = name,
          .clients = 8,
          .calls = 100,
          .keys = 20,
          .key = key,
          .direct = true,
          .member = member};
}

// What was written is watched on the member from the first revision on, and read there.
void ReadOnMember(Scenario& scenario, const std::string& stem, Write first) {
  scenario.Open({.group = "on it",
                 .count = 2,
                 .range = Below(stem),
                 .start = first,
                 .stream = "on it",
                 .member = kBehind});
  scenario.BeginLoad(Mixed("on it", stem, kBehind));
  scenario.AwaitLoad("on it");
  scenario.Put(stem + "/after");
  scenario.AwaitDelivered("on it", "on another");
}

WATCH_CASE(Durable, MemberCrashAnywhere,
           {.requirement = "any completed operations are durable (etcd KV API guarantees, "
                           "durability), on each member",
            .explain = "Four times a follower crashes at a call to its disk, any of any file, "
                       "alone or with the power: while clients write and compact, or as it "
                       "receives a snapshot after it was away. It must start again and hold and "
                       "deliver what the others do.",
            .needs = {Capability::kCluster, Capability::kDurable, Capability::kDisk,
                      Capability::kCompaction},
            .guarantees = {"Durable", "Reliable", "Linearizable", "Fields", "Settled"},
            .upstream = {22340}}) {
  const std::string stem = scenario.Key("anywhere");
  scenario.Cluster(kClusterWithSnapshots);
  Write first = scenario.Put(stem + "/first");
  scenario.Open({.group = "on another", .range = Below(stem), .stream = "on another", .member = 3});
  for (const std::string round : {"1", "2", "3", "4"}) {
    const std::string crash = "crash-point/" + round;
    const std::string pause = "pause/" + round;
    const bool away = scenario.Chance(0.5);
    scenario.PutSome(stem + "/a", {10, 20});
    if (away) WriteWhileAway(scenario, pause);
    auto parameters = DrawnCrash(scenario, away ? 40 : 120);
    parameters["member"] = kMember;
    if (!away) scenario.BeginLoad(Mixed(round, stem, 1));
    if (!away && scenario.Chance(0.5)) {
      first = scenario.Put(stem + "/floor");
      scenario.Add(CompactStep{.at = first, .at_once = true});
    }
    scenario.Inject(crash, parameters);
    if (away) scenario.Heal(pause);
    scenario.AwaitEffectAndHeal(crash);
    if (!away) scenario.AwaitLoad(round);
    scenario.Add(AwaitCaughtUpStep{kBehind});
  }
  ReadOnMember(scenario, stem, first);
}

WATCH_CASE(Durable, ForgetfulMember,
           {.requirement = "any completed operations are durable (etcd KV API guarantees, "
                           "durability): most disks keep them",
            .explain = "The disk of one member of three keeps nothing of its log at every tenth "
                       "sync, and four times its power fails right before the sync that follows "
                       "such a one, while clients write. The member must start again and hold and "
                       "deliver what the others do, or end and say why: then it gets back what it "
                       "had. Nothing that the cluster acknowledged may be lost.",
            .needs = {Capability::kCluster, Capability::kDurable, Capability::kDisk},
            .guarantees = {"Durable", "Reliable", "Linearizable", "Fields", "Settled"}}) {
  const std::string stem = scenario.Key("forgotten");
  scenario.Cluster({.members = 3});
  const Write first = scenario.Put(stem + "/first");
  scenario.Open({.group = "on another", .range = Below(stem), .stream = "on another", .member = 3});
  for (const std::string round : {"1", "2", "3", "4"}) {
    const std::string forgets = "forgetful-disk/" + round;
    const std::string failure = "crash-point/" + round;
    scenario.Inject(forgets, {{"member", kMember}, {"files", "log"}, {"every", "10"}});
    // What follows a sync has sent word of it to others: the loss is of what they count on.
    scenario.Inject(failure, {{"member", kMember},
                              {"files", "log"},
                              {"calls", "sync"},
                              {"from", std::to_string(1 + 10 * scenario.Between(1, 5))},
                              {"power", "yes"}});
    scenario.PutSome(stem + "/a", {5, 10});
    scenario.BeginLoad(Mixed(round, stem, 1));
    scenario.AwaitEffectAndHeal(failure);
    scenario.Heal(forgets);
    scenario.AwaitLoad(round);
    scenario.Add(AwaitCaughtUpStep{kBehind});
  }
  ReadOnMember(scenario, stem, first);
}

WATCH_CASE(Durable, MemberHeldAnywhere,
           {.requirement = "any completed operations are durable (etcd KV API guarantees, "
                           "durability), on each member",
            .explain = "Four times one call of a follower to its disk, any of any file, takes so "
                       "long that other things overtake it: what clients write, a compaction, or "
                       "a snapshot that the follower is sent. It is killed or stopped in order, "
                       "while the call is held or once it is done. It must start again and hold "
                       "and deliver what the others do.",
            .needs = {Capability::kCluster, Capability::kDurable, Capability::kDisk,
                      Capability::kCompaction},
            .guarantees = {"Durable", "Reliable", "Linearizable", "Fields", "Settled"}}) {
  const std::string stem = scenario.Key("held");
  scenario.Cluster(kClusterWithSnapshots);
  Write first = scenario.Put(stem + "/first");
  scenario.Open({.group = "on another", .range = Below(stem), .stream = "on another", .member = 3});
  for (const std::string round : {"1", "2", "3", "4"}) {
    const std::string held = "slow-disk/" + round;
    const std::string away = "isolate/" + round;
    const DiskCalls& call = scenario.Pick(CallsOfFollower());
    // Without its log or database it would not follow.
    const bool overtaken = call.files == "*.snap" && scenario.Chance(0.5);
    const bool still_held = scenario.Chance(0.3);
    // One that is held does not stop in order.
    const std::string end = (still_held || scenario.Chance(0.5) ? "kill/" : "restart/") + round;
    scenario.Inject(held, {{"member", kMember},
                           {"files", call.files},
                           {"calls", call.calls},
                           {"from", std::to_string(scenario.Between(1, call.most))},
                           {"times", "1"},
                           {"hold", "60s"}});
    scenario.BeginLoad(Mixed(round, stem, 1));
    scenario.AwaitEffect(held);
    if (overtaken) WriteWhileAway(scenario, away);
    if (overtaken) scenario.Heal(away);
    if (overtaken) scenario.Add(AwaitSnapshotStep{kBehind});
    if (scenario.Chance(0.3)) {
      first = scenario.Put(stem + "/floor");
      scenario.Add(CompactStep{.at = first, .at_once = true});
    }
    scenario.Hold(20ms, 1500ms);
    if (still_held) scenario.Inject(end, {{"member", kMember}});
    scenario.Heal(held);
    if (!still_held) scenario.Hold(0ms, 300ms);
    if (!still_held) scenario.Inject(end, {{"member", kMember}});
    scenario.AwaitEffectAndHeal(end);
    scenario.AwaitLoad(round);
    scenario.Add(AwaitCaughtUpStep{kBehind});
  }
  ReadOnMember(scenario, stem, first);
}

}  // namespace
}  // namespace watchproof
