// SPDX-License-Identifier: Apache-2.0
// Every fault once more, in a way in which it cannot take effect: its trigger never fires, there is
// nothing to disturb, or it stays below the threshold of its evidence. No event is missed, but the
// attempt must not pass, because it proves nothing. If it passes, the receipt of the fault is
// wrong.
#include "cases/selftest/ineffective_case.h"

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
  int line = __builtin_LINE();
};

void RunRow(Scenario& scenario, const Row& row) {
  Prng prng = scenario.Random("shape");
  const std::string key = WatchUntouched(scenario);
  scenario.Inject(row.fault, row.parameters);
  for (std::int64_t i = prng.Between(5, 10); i > 0; --i) scenario.Put(key);
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

CaseInfo InfoOf(const std::string& name, std::string explain, int line) {
  return IneffectiveCase(name, std::move(explain), Capability::kOurs, __FILE__, line);
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

[[maybe_unused]] const bool kAdded = [] {
  for (const Row& row : Rows()) {
    AddCase(InfoOf(row.name, row.explain, row.line),
            [&row](Scenario& scenario) { RunRow(scenario, row); });
  }
  AddCase(InfoOf("PauseOfPausedTarget", "A paused target is paused again.", __LINE__),
          &PausePausedTarget);
  return AddCase(
      InfoOf("RefuseDuringBlackHole",
             "New connections are refused on a path on which a black hole discards all bytes.",
             __LINE__),
      &RefuseDuringBlackHole);
}();

}  // namespace
}  // namespace watchproof
