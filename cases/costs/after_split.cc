// SPDX-License-Identifier: Apache-2.0
// How long a cluster that was split takes until it serves again.
#include "cases/costs/history.h"
#include "cases/support/watch_case.h"
#include "harness/scenario/steps/measure.h"
#include "harness/scenario/steps/member.h"

namespace watchproof {
namespace {

// A member without the others asks them to elect it, again and again. Once they reach each other
// that takes one election, as after the loss of a leader.
WATCH_CASE(
    Available, ServiceAfterSplit,
    {.requirement = "a cluster is healthy again once most of its members work (etcd operations "
                    "guide, Majority failure)",
     .explain = "A cluster of three loses its leader to a partition, and later all members "
                "are apart, in turns. The time from when two of them reach each other again to "
                "the first put that is answered must not be five times that from the loss of "
                "the leader.",
     .level = Level::kShould,
     .needs = {Capability::kCluster, Capability::kProxy},
     .guarantees = {"Available"},
     .costs = CaseInfo::Costs::kMeasures}) {
  constexpr int kMembers = 3;
  // Longer than it takes a member to give up the others.
  constexpr Duration kApart = 2500ms;
  const std::string key = scenario.Key("served");
  scenario.Cluster({.members = kMembers});
  scenario.Put(key);
  scenario.Add(UseMemberStep{kMembers});
  for (int i = 0; i < scenario.turns(); ++i) {
    const std::string turn = "/" + std::to_string(i);
    if (i > 0) scenario.Add(AwaitLeadStep{1});
    scenario.Inject("split" + turn, {{"leader", "minority"}});
    scenario.Add(MeasureServiceStep{.key = key});
    scenario.AwaitEffectAndHeal("split" + turn);
    const std::string first = "isolate/first" + turn;
    const std::string second = "isolate/second" + turn;
    for (int member = 1; member <= kMembers; ++member) scenario.Add(AwaitCaughtUpStep{member});
    scenario.Inject(first, {{"member", "1"}});
    scenario.Inject(second, {{"member", "2"}});
    scenario.Add(HoldStep{kApart});
    scenario.AwaitEffect(first);
    scenario.AwaitEffect(second);
    scenario.Heal(first);  // two members are a majority
    scenario.Add(MeasureServiceStep{
        .beside = "members that were apart", .key = key, .limits = {{"unserved", "5"}}});
    scenario.Heal(second);
    for (int member = 1; member <= kMembers; ++member) scenario.Add(AwaitCaughtUpStep{member});
  }
}

}  // namespace
}  // namespace watchproof
