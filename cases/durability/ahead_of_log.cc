// SPDX-License-Identifier: Apache-2.0
// A leader's log says of its last writes that they are there, and not yet that they are committed:
// that it writes down beside the next ones. Its database may hold them all the same. So after a
// crash it begins with data that are ahead of what it knows to be committed.
#include "cases/support/member_behind.h"
#include "harness/scenario/steps/spare.h"

namespace watchproof {
namespace {

constexpr int kThird = 3;
constexpr const char* kSlowLinkTo = "slow-link-to-member";

// Its data are on its disk, and nothing follows that it would write down.
void BeQuiet(Scenario& scenario) { scenario.Hold(500ms, 1500ms); }

// Only the leader and the one that is far behind come back, so that the leader has to send what it
// holds before it can commit anything.
void CrashWithOneBehind(Scenario& scenario) {
  scenario.Inject("kill/third", {{"member", std::to_string(kThird)}, {"stay-down", "yes"}});
  scenario.Inject("kill/leader", {{"member", "1"}, {"stay-down", "yes"}});
  scenario.Heal("isolate");
  scenario.Heal("kill/leader");
  scenario.Add(AwaitSnapshotStep{kBehind});
}

WATCH_CASE(Durable, SnapshotAheadOfLog,
           {.requirement = "any completed operations are durable (etcd KV API guarantees, "
                           "durability)",
            .explain = "A follower is cut off, and so much is written that it needs a snapshot. "
                       "Then all is quiet, and the other members are killed. Only the leader and "
                       "the follower come back, later the third member. The leader sends a "
                       "snapshot of data that are ahead of what its log says is committed. All "
                       "must serve, and the follower must deliver what is written from then on "
                       "(etcd #20426: with its own assertions the leader ends).",
            .needs = {Capability::kCluster, Capability::kDurable},
            .guarantees = {"Durable", "Reliable", "Settled"},
            .upstream = {20426}}) {
  const std::string stem = scenario.Key("ahead");
  ClusterPlan cluster = kClusterWithSnapshots;
  cluster.self_checks = true;
  scenario.Cluster(cluster);
  scenario.PutSome(stem, {5, 10});
  WriteWhileAway(scenario, "isolate");
  // What it writes down of a snapshot of its own, it syncs.
  BeQuiet(scenario);
  scenario.PutSome(stem, {1, 3});
  BeQuiet(scenario);
  CrashWithOneBehind(scenario);
  scenario.PutSome(stem + "/a", {5, 10});
  scenario.Heal("kill/third");
  MustFollow(scenario, stem);
}

WATCH_CASE(
    Enrolled, LearnerAheadOfLog,
    {.requirement = "members are added, moved, promoted and removed while the cluster serves "
                    "(etcd operation guide, runtime reconfiguration)",
     .explain =
         "As Durable.SnapshotAheadOfLog: a leader is killed and sends a snapshot of data that "
         "are ahead of its log, here by a learner that was added. Then the follower that "
         "was sent it leads. It must know of the learner: a leader that lists one, and does "
         "not know it, sends it nothing, so that its watches stand still for good.",
     .needs = {Capability::kCluster, Capability::kDurable, Capability::kLearners},
     .guarantees = {"Enrolled", "Reliable", "Settled"}}) {
  const std::string stem = scenario.Key("ahead");
  scenario.Cluster(kClusterWithSnapshots);
  scenario.PutSome(stem, {5, 10});
  // It falls behind, and stays connected: members are added where all have been for 5 s.
  scenario.Hold(5500ms, 6s);
  scenario.Inject(kSlowLinkTo, {{"member", std::to_string(kBehind)}, {"rate", "16KiB"}});
  scenario.PutSome(stem + "/meanwhile", {120, 150}, kFollowsSlowly);
  scenario.Add(AddSpareStep{.member = 1, .optional = true, .and_no_more = true});
  BeQuiet(scenario);
  scenario.Inject("isolate", {{"member", std::to_string(kBehind)}});
  scenario.AwaitEffectAndHeal(kSlowLinkTo);
  scenario.AwaitEffect("isolate");
  CrashWithOneBehind(scenario);
  scenario.Heal("kill/third");
  scenario.Add(AwaitCaughtUpStep{kThird});
  scenario.Add(AwaitCaughtUpStep{kBehind});
  scenario.Disturb("move-leader", {{"to", std::to_string(kBehind)}});
  scenario.Add(AskSpareVoteStep{kBehind});
  scenario.Add(RemoveSpareStep{kBehind});
  MustFollow(scenario, stem);
}

}  // namespace
}  // namespace watchproof
