// SPDX-License-Identifier: Apache-2.0
// Every fault once more, in a way in which nobody can feel it: its moment never comes, there is
// nothing to harm, or too little of it. Nothing is missed, and still that is no pass: it shows
// nothing. A case that passes all the same has a receipt that lies.
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

void Carry(Scenario& scenario, const Row& row) {
  Prng prng = scenario.Random("shape");
  const std::string key = WatchUntouched(scenario);
  scenario.Inject(row.fault, row.parameters);
  for (std::int64_t i = prng.Between(5, 10); i > 0; --i) scenario.Put(key);
  scenario.Heal(row.fault);
  const bool resumes = row.after == After::kResume;
  if (resumes) {
    scenario.AwaitEnded("first");
    scenario.Resume("first", "second");
  }
  scenario.Put(key);
  scenario.AwaitDelivered(resumes ? "second" : "first");
}

const std::vector<Row>& Rows() {
  static const Parameters too_many = {{"at-least", "1GiB"}};
  static const Parameters too_late = {{"after-bytes", "1GiB"}};
  static const Parameters never = {{"when", "response"}, {"count", "1000000"}};
  static const char* const too_little = "Less is harmed than must be for the fault to count.";
  static const char* const no_moment = "The moment that it waits for does not come.";
  static const char* const no_time = "It takes no time at all.";
  static const std::vector<Row> rows = {
      {"StallOfTooLittle", "stall", too_many, too_little},
      {"HeldStreamOfTooLittle", "hold-stream", too_many, too_little},
      {"WithheldWindowOfTooLittle", "withhold-window", too_many, too_little},
      {"SlicesOfTooLittle", "slice", too_many, too_little},
      {"NarrowRoadForTooLittle", "bandwidth", too_many, too_little},
      {"BlackHoleOfTooLittle", "black-hole", too_many, too_little, After::kResume},
      {"DefragmentationOfTooLittle", "defragment", too_many, too_little},
      {"ResetTooLate", "reset", too_late, no_moment},
      {"CloseTooLate", "close", too_late, no_moment},
      {"HalfCloseTooLate", "half-close", too_late, no_moment},
      {"HalfOpenTooLate", "half-open", {{"after", "3600s"}}, no_moment, After::kResume},
      {"StreamResetTooLate", "reset-stream", never, no_moment},
      {"GoAwayTooLate", "goaway", never, no_moment},
      {"CutBehindNoEvent", "cut-after-event", {{"revision", "1000000000"}}, no_moment},
      {"CutBetweenNoFragments", "cut-between-fragments", {}, no_moment},
      {"HeldCreationOfNobody", "hold-created", {}, no_moment},
      {"LateEndOfNothing", "late-end", {}, no_moment},
      {"DroppedResponseThatNeverComes", "drop-response", {{"count", "1000000"}}, no_moment},
      {"DelayedWatchOfNobody", "delay-watch", {{"watch", "1000000"}}, no_moment},
      {"CorruptionOfNothing", "corrupt", {{"every", "1GiB"}}, no_moment},
      {"LatencyOfNoTime", "latency", {{"delay", "0ms"}}, no_time},
      {"LateAcceptOfNoTime", "late-accept", {{"delay", "0ms"}}, no_time},
      {"ReaderThatIsFastEnough",
       "slow-reader",
       {{"messages", "1000000"}, {"every", "1ms"}},
       "The reader that is slowed down still reads faster than anything comes."},
      {"AlarmThatIsNotRaised",
       "no-space",
       {{"raise", "no"}},
       "Puts are tried, and none is refused."},
      {"KillOfWhatCannotComeBack",
       "kill",
       {},
       "The target keeps nothing, so that it is not killed: another one would come back."},
      {"RestartOfWhatCannotComeBack",
       "restart",
       {},
       "The target keeps nothing, so that it is not ended: another one would come back."},
  };
  return rows;
}

CaseInfo InfoOf(const std::string& name, std::string explain, int line) {
  return IneffectiveCase(name, std::move(explain), Capability::kOurs, __FILE__, line);
}

// Who hears nothing already cannot tell that he is refused as well.
void RefuseBehindAHole(Scenario& scenario) {
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

// Who stands still already cannot be stopped.
void PauseThePaused(Scenario& scenario) {
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
            [&row](Scenario& scenario) { Carry(scenario, row); });
  }
  AddCase(
      InfoOf("PauseOfOneWhoStandsStill", "A server that is stopped is stopped again.", __LINE__),
      &PauseThePaused);
  return AddCase(
      InfoOf("RefusalOfADeadRoad",
             "New connections are refused on a road that answers nobody anyway.", __LINE__),
      &RefuseBehindAHole);
}();

}  // namespace
}  // namespace watchproof
