// SPDX-License-Identifier: Apache-2.0
// A member is lost with its data and joins again without any, as a node that was rebuilt.
#include "cases/support/watch_case.h"
#include "harness/scenario/steps/member.h"

namespace watchproof {
namespace {

void WatchThroughReplacement(Scenario& scenario, const std::string& learner) {
  const std::string stem = scenario.Key("replaced");
  const int replaced = static_cast<int>(scenario.Between(2, 3));
  scenario.Cluster({.members = 3});
  const Write first = scenario.Put(stem + "/first");
  scenario.Open({.group = "on it", .range = Below(stem), .stream = "on it", .member = replaced});
  scenario.Open(
      {.group = "beside", .range = Below(stem), .stream = "beside", .member = 5 - replaced});
  scenario.BeginLoad({.clients = 6,
                      .calls = 100'000,
                      .keys = 20,
                      .key = stem,
                      .direct = true,
                      .pause = 10ms,
                      .member = 0});
  scenario.Hold(300ms, 1s);
  scenario.Disturb("replace", {{"member", std::to_string(replaced)}, {"learner", learner}});
  scenario.Add(AwaitCaughtUpStep{replaced});
  scenario.Resume("on it", "on the new one", replaced);
  scenario.Open({.group = "from the first",
                 .range = Below(stem),
                 .start = first,
                 .stream = "from the first",
                 .member = replaced});
  scenario.Hold(300ms, 1s);
  scenario.Add(StopLoadStep{});
  scenario.Put(stem + "/after");
  scenario.AwaitDelivered("on the new one", "from the first", "beside");
}

WATCH_CASE(Resumable, ReplacedMember,
           {.requirement = kBrokenWatch,
            .explain = "A member of a cluster is killed, removed, added again, and started without "
                       "its data, while clients write on all members. A watch that it served is "
                       "resumed on it, and must go on without a gap; a watch from the first "
                       "revision on must receive everything from it.",
            .needs = {Capability::kCluster, Capability::kDurable},
            .guarantees = {"Resumable", "Reliable", "Linearizable", "Settled"}}) {
  WatchThroughReplacement(scenario, "no");
}

WATCH_CASE(Resumable, ReplacedByLearner,
           {.requirement = kBrokenWatch,
            .explain = "The same, and the member joins as a learner, which has no vote, and is "
                       "promoted once it has caught up.",
            .needs = {Capability::kCluster, Capability::kDurable},
            .guarantees = {"Resumable", "Reliable", "Linearizable", "Settled"}}) {
  WatchThroughReplacement(scenario, "yes");
}

}  // namespace
}  // namespace watchproof
