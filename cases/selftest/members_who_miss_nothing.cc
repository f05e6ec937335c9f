// SPDX-License-Identifier: Apache-2.0
// The faults of clusters in ways in which no member can feel them: the links are whole again long
// before anybody misses a heartbeat, the cut is between two who do not lead, there is nothing that
// could come late. The cluster keeps its promises, and still that is no pass.
#include "cases/selftest/ineffective_case.h"

namespace watchproof {
namespace {

using Parameters = std::map<std::string, std::string>;

struct Row {
  const char* name;
  const char* fault;
  Parameters parameters;
  const char* explain;
  int members = 3;
  int line = __builtin_LINE();
};

void Carry(Scenario& scenario, const Row& row) {
  scenario.Cluster({.members = row.members});
  const std::string key = WatchUntouched(scenario);
  scenario.Inject(row.fault, row.parameters);
  scenario.Heal(row.fault);
  scenario.Put(key);
  scenario.AwaitDelivered("first");
}

const std::vector<Row>& Rows() {
  static const char* const at_once = "It is over before anybody misses a heartbeat.";
  static const std::vector<Row> rows = {
      {"IsolationForAMoment", "isolate", {{"member", "3"}}, at_once},
      {"SplitForAMoment", "split", {{"leader", "minority"}}, at_once},
      {"RingForAMoment", "ring", {}, at_once, 5},
      {"CutBetweenFollowers",
       "one-way-cut",
       {{"from", "2"}, {"to", "3"}},
       "One follower does not hear the other one, from whom it needs nothing."},
      {"SlowPeerWithoutWrites", "slow-peer", {}, "Nothing is written that could come late."},
  };
  return rows;
}

CaseInfo InfoOf(const std::string& name, std::string explain, int line) {
  return IneffectiveCase(name, std::move(explain), Capability::kCluster, __FILE__, line);
}

void HandOverToOneCutOff(Scenario& scenario) {
  scenario.Cluster({.members = 3});
  const std::string key = WatchUntouched(scenario);
  scenario.Inject("isolate", {{"member", "2"}});
  scenario.AwaitEffect("isolate");
  scenario.Inject("move-leader", {{"to", "2"}});
  scenario.Heal("move-leader");
  scenario.Heal("isolate");
  scenario.AwaitCaughtUp(2);
  scenario.Put(key);
  scenario.AwaitDelivered("first");
}

[[maybe_unused]] const bool kAdded = [] {
  for (const Row& row : Rows()) {
    AddCase(InfoOf(row.name, row.explain, row.line),
            [&row](Scenario& scenario) { Carry(scenario, row); });
  }
  return AddCase(InfoOf("HandOverToOneCutOff",
                        "The leader is to hand over to a member that hears nobody.", __LINE__),
                 &HandOverToOneCutOff);
}();

}  // namespace
}  // namespace watchproof
