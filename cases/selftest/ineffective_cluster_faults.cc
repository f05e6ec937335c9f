// SPDX-License-Identifier: Apache-2.0
// Faults of clusters in ways in which they cannot take effect: the links are healed long before a
// heartbeat is missed, the cut is between two followers, or there is no message that could be late.
// The cluster keeps its promises, but the attempt must not pass.
#include "cases/selftest/ineffective_case.h"
#include "harness/scenario/steps/member.h"

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

void RunRow(Scenario& scenario, const Row& row) {
  scenario.Cluster({.members = row.members});
  const std::string key = WatchUntouched(scenario);
  scenario.Inject(row.fault, row.parameters);
  scenario.Heal(row.fault);
  scenario.Put(key);
  scenario.AwaitDelivered("first");
}

const std::vector<Row>& Rows() {
  static const char* const at_once = "The fault is healed before any member misses a heartbeat.";
  static const std::vector<Row> rows = {
      {"MomentaryIsolation", "isolate", {{"member", "3"}}, at_once},
      {"MomentarySplit", "split", {{"leader", "minority"}}, at_once},
      {"MomentaryRing", "ring", {}, at_once, 5},
      {"OneWayCutBetweenFollowers",
       "one-way-cut",
       {{"from", "2"}, {"to", "3"}},
       "Messages from one follower to another are dropped; the cluster needs none of them."},
      {"SlowPeerWithoutWrites", "slow-peer", {}, "No write is replicated that could be late."},
  };
  return rows;
}

CaseInfo InfoOf(const std::string& name, std::string explain, int line) {
  return IneffectiveCase(name, std::move(explain), Capability::kCluster, __FILE__, line);
}

void TransferToIsolatedMember(Scenario& scenario) {
  scenario.Cluster({.members = 3});
  const std::string key = WatchUntouched(scenario);
  scenario.Inject("isolate", {{"member", "2"}});
  scenario.AwaitEffect("isolate");
  scenario.Inject("move-leader", {{"to", "2"}});
  scenario.Heal("move-leader");
  scenario.Heal("isolate");
  scenario.Add(AwaitCaughtUpStep{2});
  scenario.Put(key);
  scenario.AwaitDelivered("first");
}

[[maybe_unused]] const bool kAdded = [] {
  for (const Row& row : Rows()) {
    AddCase(InfoOf(row.name, row.explain, row.line),
            [&row](Scenario& scenario) { RunRow(scenario, row); });
  }
  return AddCase(InfoOf("TransferToIsolatedMember",
                        "The leader is asked to hand over to an isolated member.", __LINE__),
                 &TransferToIsolatedMember);
}();

}  // namespace
}  // namespace watchproof
