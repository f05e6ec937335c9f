// SPDX-License-Identifier: Apache-2.0
// Whether one build is worse than another, within a time budget: pairs of attempts with the same
// plan, as long as they are worth most; then drawn scripts on both.
//
//   Gate gate(attempts, {.base = "etcd@3.5.15", .head = "etcd@3.5.16", .budget = 15min});
//   gate.Decide();
//   if (gate.NeverStarted().empty()) fmt::print("{}", ToText(gate.Outcome()));
//
// Not thread-safe. Ownership: borrows the attempts. Once per gate.
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "harness/base/deadline.h"
#include "harness/base/prng.h"
#include "harness/report/gate_report.h"
#include "harness/runs/attempts.h"
#include "harness/statistics/gate_trial.h"

namespace watchproof {

// What drawn scripts came to, on the head with the base as control.
struct GateExplored {
  std::uint64_t scripts = 0;
  int shared = 0;      // kinds of findings that both showed
  int not_alone = 0;   // of the head alone, in company of other scripts only
  int unexamined = 0;  // of the head alone, for which there was no time
  std::vector<GateScript> found{};
  Status ended{};  // an error: why it did so early
};

struct GateOptions {
  std::string base;  // as they were asked for
  std::string head;
  Duration budget;
  // Until then, with evidence for the trial; again it goes on, and returns what came of both turns.
  // Empty: no scripts.
  std::function<GateExplored(GateTrial& trial, TimePoint until)> explore = {};
  // A picture of a failure, as its path for people; empty: there is none.
  std::function<std::string(const AttemptResult&)> draw = {};
  std::function<TimePoint()> now = [] { return Clock::now(); };
};

// The reason why none of the attempts that count has served, of which there are so many at least;
// empty: one has, or there were fewer.
std::string WhyNoneServed(const RunRecord& record, int least,
                          const std::function<bool(const AttemptResult&)>& counts);

class Gate {
 public:
  // The budget counts from here on. Targets of the attempts: the base and the head, which may be
  // one.
  Gate(Attempts& attempts, GateOptions options);

  void Decide();
  // The reason why a target has not served a single attempt; empty: it has, or there were few.
  std::string NeverStarted() const;
  // What was decided. It refers to the gate and to the record of the attempts.
  GateOutcome Outcome();
  // What a gate of this size and budget finds.
  std::vector<Power> PowerIf(double seconds_per_attempt) const;

 private:
  struct Halves {
    std::optional<AttemptEnd> base;
    std::optional<AttemptEnd> head;
  };

  const TargetSpec& base() const { return attempts_.targets().front(); }
  const TargetSpec& head() const { return attempts_.targets().back(); }
  TimePoint end() const { return began_ + options_.budget; }
  bool CanExplore() const { return options_.explore && !base().server && !head().server; }
  // One target is base and head: the attempts of a pair have neighbouring numbers.
  bool same() const { return attempts_.targets().size() == 1; }
  bool IsHead(const AttemptResult& result) const;
  int PairOf(const AttemptResult& result) const;
  void TakeIn();
  std::vector<PlannedAttempt> Next();
  void AddPair(std::size_t index, std::vector<PlannedAttempt>& attempts);
  // The time of drawn scripts before the first attempt; zero: they have none.
  Duration FirstTurn() const;
  void Explore(TimePoint until);
  std::vector<std::string> Missing() const;
  std::vector<GateFailure> Failures() const;
  std::vector<std::string> Gone() const;
  std::vector<std::string> ManyMoreKnown() const;
  double SecondsPerAttempt() const;

  Attempts& attempts_;
  const GateOptions options_;
  GateTrial trial_;
  Prng order_;
  const TimePoint began_;
  std::optional<TimePoint> deeper_until_;
  std::map<std::string, std::size_t> index_;
  std::vector<int> pairs_;  // that were planned, by case
  std::size_t taken_ = 0;
  std::map<std::pair<std::size_t, int>, Halves> open_;
  Duration exploring_{};
  std::string summary_;  // of the exploration
  GateExplored explored_;
};

}  // namespace watchproof
