// SPDX-License-Identifier: Apache-2.0
// Whether the figures of one build are worse than those of another, within a time budget: memory,
// puts per second and delays, beside each burden of the cases that measure and without it.
//
//   MeasureGate gate(attempts, {.base = "etcd@3.6.9", .head = "etcd@3.6.8", .budget = 10min});
//   gate.Decide();
//   fmt::print("{}", ToText(gate.Outcome()));
//
// Attempts of a pair have the same plan, and run one after the other: which of the two is first is
// drawn. A figure of an attempt is the median of what was measured in it.
// Not thread-safe. Ownership: borrows the attempts. Once per gate.
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "harness/base/deadline.h"
#include "harness/base/prng.h"
#include "harness/report/measure_report.h"
#include "harness/runs/attempts.h"
#include "harness/statistics/measure_trial.h"

namespace watchproof {

struct MeasureGateOptions {
  std::string base;  // as they were asked for
  std::string head;
  Duration budget;
  std::set<Measure> measures;  // which figures count
  std::function<TimePoint()> now = [] { return Clock::now(); };
};

class MeasureGate {
 public:
  // The budget counts from here on. Targets of the attempts: the base and the head, which may be
  // one.
  MeasureGate(Attempts& attempts, MeasureGateOptions options);

  void Decide();
  // The reason why a target has not served a single attempt; empty: it has, or there were few.
  std::string NeverStarted() const;
  // What was decided. It refers to the gate.
  MeasureOutcome Outcome() const;

 private:
  struct Case {
    std::string name;
    int pairs = 0;  // that were planned
    int compared = 0;
    double seconds = 0;  // of all its attempts
    std::set<FigureAt> figures{};
    int busy = 0;          // of which what takes time does not count
    std::string reason{};  // of the last pair that compared nothing
  };

  // One target is base and head: the attempts of a pair have neighbouring numbers.
  bool same() const { return attempts_.targets().size() == 1; }
  std::vector<PlannedAttempt> Next();
  void TakeIn();
  void Compare(Case& one, const AttemptResult& base, const AttemptResult& head);
  bool Finished(const Case& one) const;
  const Case* NextCase() const;

  Attempts& attempts_;
  const MeasureGateOptions options_;
  const TimePoint began_;
  Prng order_;
  MeasureTrial trial_;
  std::vector<Case> cases_;
  std::map<FigureAt, MeasuredOnBoth> both_;
  std::size_t taken_ = 0;
  std::optional<AttemptResult> waiting_;  // for the other one of its pair
};

}  // namespace watchproof
