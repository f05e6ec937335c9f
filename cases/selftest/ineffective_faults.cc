// SPDX-License-Identifier: Apache-2.0
// Every fault once more, in a way in which it cannot take effect: its trigger never fires, there is
// nothing to disturb, or it stays below the threshold of its evidence. No event is missed, but the
// attempt must not pass, because it proves nothing. If it passes, the receipt of the fault is
// wrong.
#include "cases/support/watch_case.h"
#include "harness/scenario/steps/member.h"

namespace watchproof {
namespace {

using Parameters = std::map<std::string, std::string>;

enum class After { kGoOn, kResume };

struct Row {
  const char* name;
  const char* fault;
  Parameters parameters;
  const char* explain;
  After after = After::kGoOn;
  int members = 1;
  int line = __builtin_LINE();
};

// Opens two watches of one key, the group "first", before any fault. Returns the key.
std::string WatchUntouched(Scenario& scenario) {
  std::string key = scenario.Key("untouched");
  scenario.Put(key);
  scenario.Open({.group = "first", .count = 2, .range = OneKey(key)});
  return key;
}

void RunRow(Scenario& scenario, const Row& row) {
  scenario.Cluster({.members = row.members});
  const std::string key = WatchUntouched(scenario);
  scenario.Inject(row.fault, row.parameters);
  if (row.members == 1) scenario.PutSome(key, {5, 10});
  scenario.Heal(row.fault);
  const bool resumes = row.after == After::kResume;
  if (resumes) {
    scenario.Add(AwaitEndedStep{"first"});
    scenario.Resume("first", "second");
  }
  scenario.Put(key);
  scenario.AwaitDelivered(resumes ? "second" : "first");
}

const std::vector<Row>& Rows() {
  static const Parameters at_least_1gib = {{"at-least", "1GiB"}};
  static const Parameters after_1gib = {{"after-bytes", "1GiB"}};
  static const Parameters never = {{"when", "response"}, {"count", "1000000"}};
  static const char* const below_threshold =
      "The fault stays below the threshold from which it counts.";
  static const char* const no_trigger = "The trigger of the fault never fires.";
  static const char* const no_delay = "The delay is zero.";
  static const std::vector<Row> rows = {
      {"StallBelowThreshold", "stall", at_least_1gib, below_threshold},
      {"HoldStreamBelowThreshold", "hold-stream", at_least_1gib, below_threshold},
      {"WithholdWindowBelowThreshold", "withhold-window", at_least_1gib, below_threshold},
      {"SliceBelowThreshold", "slice", at_least_1gib, below_threshold},
      {"BandwidthBelowThreshold", "bandwidth", at_least_1gib, below_threshold},
      {"BlackHoleBelowThreshold", "black-hole", at_least_1gib, below_threshold, After::kResume},
      {"DefragmentBelowThreshold", "defragment", at_least_1gib, below_threshold},
      {"UntriggeredReset", "reset", after_1gib, no_trigger},
      {"UntriggeredClose", "close", after_1gib, no_trigger},
      {"UntriggeredHalfClose", "half-close", after_1gib, no_trigger},
      {"UntriggeredHalfOpen", "half-open", {{"after", "3600s"}}, no_trigger, After::kResume},
      {"UntriggeredStreamReset", "reset-stream", never, no_trigger},
      {"UntriggeredGoAway", "goaway", never, no_trigger},
      {"UntriggeredCutAfterEvent", "cut-after-event", {{"revision", "1000000000"}}, no_trigger},
      {"CutWithoutFragments", "cut-between-fragments", {}, no_trigger},
      {"UntriggeredHoldCreated", "hold-created", {}, no_trigger},
      {"UntriggeredLateEnd", "late-end", {}, no_trigger},
      {"UntriggeredDropResponse", "drop-response", {{"count", "1000000"}}, no_trigger},
      {"UntriggeredDelayWatch", "delay-watch", {{"watch", "1000000"}}, no_trigger},
      {"UntriggeredCorruption", "corrupt", {{"every", "1GiB"}}, no_trigger},
      {"ZeroLatency", "latency", {{"delay", "0ms"}}, no_delay},
      {"ZeroLateAccept", "late-accept", {{"delay", "0ms"}}, no_delay},
      {"FastReader",
       "slow-reader",
       {{"messages", "1000000"}, {"every", "1ms"}},
       "The slowed-down reader still reads faster than messages arrive."},
      {"NoSpaceWithoutAlarm",
       "no-space",
       {{"raise", "no"}},
       "Puts are tried, and none is rejected."},
      {"KillWithoutDurableData",
       "kill",
       {},
       "The target keeps no data, so it is not killed: the restarted store would be another one."},
      {"RestartWithoutDurableData",
       "restart",
       {},
       "The target keeps no data, so it is not stopped: the restarted store would be another one."},
  };
  return rows;
}

// The links are healed long before a heartbeat is missed, the cut is between two followers, or
// there is no message that could be late.
const std::vector<Row>& RowsOfClusters() {
  static const char* const at_once = "The fault is healed before any member misses a heartbeat.";
  static const std::vector<Row> rows = {
      {"MomentaryIsolation", "isolate", {{"member", "3"}}, at_once, After::kGoOn, 3},
      {"BlackoutBelowThreshold",
       "blackout",
       {{"at-least", "1000000"}},
       "Fewer writes are lost than the fault requires.",
       After::kResume,
       3},
      {"RestorationOfTheSameState",
       "restore",
       {{"bump", "0"}},
       "Nothing is written between the snapshot and its restoration.",
       After::kResume,
       3},
      {"MomentarySplit", "split", {{"leader", "minority"}}, at_once, After::kGoOn, 3},
      {"MomentaryRing", "ring", {}, at_once, After::kGoOn, 5},
      {"OneWayCutBetweenFollowers",
       "one-way-cut",
       {{"from", "2"}, {"to", "3"}},
       "Messages from one follower to another are dropped; the cluster needs none of them.",
       After::kGoOn,
       3},
      {"ForgetfulDiskOfOtherFiles",
       "forgetful-disk",
       {{"member", "2"}, {"files", "no-such-file*"}},
       "The member has no such file.",
       After::kGoOn,
       3},
      {"DamagedFileOfNone",
       "damaged-file",
       {{"member", "2"}, {"files", "no-such-file*"}},
       "The member has no such file.",
       After::kGoOn,
       3},
      {"SlowLinkBelowThreshold",
       "slow-link",
       {{"at-least", "1GiB"}},
       "Fewer bytes wait than the fault requires.",
       After::kGoOn,
       3},
      {"SlowPeerWithoutWrites",
       "slow-peer",
       {},
       "No write is replicated that could be late.",
       After::kGoOn,
       3},
      {"SlowLinkWithoutWrites",
       "slow-link-to-member",
       {},
       "No write is replicated that could be late.",
       After::kGoOn,
       3},
  };
  return rows;
}

CaseInfo InfoOf(const std::string& name, std::string explain, int members, int line) {
  return {.name = "Ineffective." + name,
          .requirement = "a fault that did not take effect proves nothing (watchproof, receipts)",
          .explain = std::move(explain),
          .needs = {Capability::kProxy, members > 1 ? Capability::kCluster : Capability::kOurs},
          .guarantees = {},
          .expect = Verdict::kInconclusive,
          .file = __FILE__,
          .line = line};
}

// While a black hole discards all bytes, a refused connection leaves no evidence.
void RefuseDuringBlackHole(Scenario& scenario) {
  const std::string key = WatchUntouched(scenario);
  scenario.Inject("black-hole", {{"at-least", "1B"}});
  scenario.Put(key);
  scenario.AwaitEffect("black-hole");
  scenario.Inject("refuse");
  scenario.Put(key);
  scenario.Heal("refuse");
  scenario.Heal("black-hole");
  scenario.Resume("first", "second");
  scenario.AwaitDelivered("second");
}

// A paused process cannot be paused.
void PausePausedTarget(Scenario& scenario) {
  const std::string key = WatchUntouched(scenario);
  scenario.Inject("pause");
  scenario.AwaitEffect("pause");
  scenario.Inject("pause/2");
  scenario.Heal("pause/2");
  scenario.Heal("pause");
  scenario.Put(key);
  scenario.AwaitDelivered("first");
}

// A member that is paused does not say which one it is.
void ReplacePausedMember(Scenario& scenario) {
  scenario.Cluster({.members = 3});
  const std::string key = WatchUntouched(scenario);
  scenario.Inject("pause", {{"member", "2"}});
  scenario.AwaitEffect("pause");
  scenario.Inject("replace", {{"member", "2"}});
  scenario.Heal("replace");
  scenario.Heal("pause");
  scenario.Put(key);
  scenario.AwaitDelivered("first");
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
  for (const auto* rows : {&Rows(), &RowsOfClusters()}) {
    for (const Row& row : *rows) {
      AddCase(InfoOf(row.name, row.explain, row.members, row.line),
              [&row](Scenario& scenario) { RunRow(scenario, row); });
    }
  }
  AddCase(InfoOf("PauseOfPausedTarget", "A paused target is paused again.", 1, __LINE__),
          &PausePausedTarget);
  AddCase(InfoOf("ReplacementOfPausedMember", "A member that is paused is to be replaced.", 3,
                 __LINE__),
          &ReplacePausedMember);
  AddCase(InfoOf("TransferToIsolatedMember",
                 "The leader is asked to hand over to an isolated member.", 3, __LINE__),
          &TransferToIsolatedMember);
  return AddCase(
      InfoOf("RefuseDuringBlackHole",
             "New connections are refused on a path on which a black hole discards all bytes.", 1,
             __LINE__),
      &RefuseDuringBlackHole);
}();

}  // namespace
}  // namespace watchproof
