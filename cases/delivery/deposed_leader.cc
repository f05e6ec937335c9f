// SPDX-License-Identifier: Apache-2.0
// A leader that was deposed, and has not learned of it, answers no linearizable read.
#include "cases/support/watch_case.h"
#include "harness/scenario/steps/member.h"

namespace watchproof {
namespace {

// A member repeats an unanswered request for the leader's position after this time.
constexpr Duration kRepeatedAfter = 500ms;

// The first member leads. The second follows, and what it sends to the leader arrives late. So one
// read at it makes two requests to the leader, and its confirmation of the first request is still
// under way when the repeated one arrives. Meanwhile the third member has become leader and was
// written to. What the second confirmed before that proves nothing about a read that began later.
WATCH_CASE(Linearizable, DeposedLeader,
           {.requirement = "a linearizable read reflects every write that was acknowledged before "
                           "it began (etcd API, KV API guarantees)",
            .explain = "The leader of a cluster of three no longer receives what one follower "
                       "sends, and late what the other does. The former is made leader and is "
                       "written to; then the old leader is read. It must find out that it was "
                       "deposed, and not take for its confirmation what was sent before (etcd "
                       "#20418). Three times.",
            .needs = {Capability::kCluster, Capability::kProxy},
            .guarantees = {"Linearizable"},
            .upstream = {20418}}) {
  constexpr Duration kLate = 800ms;
  const std::string late = fmt::format("{}ms", kLate / 1ms);
  const std::string stem = scenario.Key("deposed");
  const std::string key = stem + "/0";
  scenario.Cluster({.members = 3});
  const auto read = [&](const std::string& load, int member) {
    scenario.BeginLoad({.load = load,
                        .clients = 4,
                        .calls = 1,
                        .keys = 1,
                        .key = stem,
                        .direct = true,
                        .reads_only = true,
                        .member = member});
  };
  const auto await_all = [&] {
    for (int member = 1; member <= 3; ++member) scenario.Add(AwaitCaughtUpStep{member});
  };
  for (const std::string round : {"1", "2", "3"}) {
    scenario.Put(key);
    await_all();
    scenario.Inject("slow-link/" + round, {{"from", "2"}, {"to", "1"}, {"delay", late}});
    read("confirmed/" + round, 2);
    // The first request has arrived, the repeated one has not.
    scenario.Hold(kLate + 20ms, kLate + kRepeatedAfter / 10);
    scenario.Inject("one-way-cut/" + round, {{"from", "3"}, {"to", "1"}});
    scenario.Inject("move-leader/" + round, {{"to", "3"}, {"seen-by", "itself"}});
    scenario.AwaitEffect("move-leader/" + round);
    scenario.Add(UseMemberStep{3});
    scenario.Put(key);
    read("deposed/" + round, 1);
    scenario.AwaitLoad("deposed/" + round);
    scenario.Heal("one-way-cut/" + round);
    scenario.Heal("slow-link/" + round);
    scenario.Heal("move-leader/" + round);
    scenario.AwaitLoad("confirmed/" + round);
    await_all();
    scenario.Add(UseMemberStep{1});
    scenario.Disturb("move-leader/" + round + "b", {{"to", "1"}});
  }
}

}  // namespace
}  // namespace watchproof
