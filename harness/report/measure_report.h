// SPDX-License-Identifier: Apache-2.0
// What a gate over figures came to, for people and for machines.
//
//   fmt::print("{}", ToText(outcome));   Publish(..., ToJson(outcome), ...);
//
// Threads: functions without state.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "harness/report/gate_report.h"
#include "harness/report/run_record.h"
#include "harness/results/measured.h"
#include "harness/statistics/measure_trial.h"

namespace watchproof {

// By pair.
struct MeasuredOnBoth {
  std::vector<double> base;
  std::vector<double> head;
};

struct MeasureOutcome {
  GateVerdict verdict = GateVerdict::kNeedsMore;
  std::string base;
  std::string head;
  double seconds = 0;
  const MeasureTrial& trial;
  const RunRecord& record;
  const std::map<FigureAt, MeasuredOnBoth>& figures;
  std::vector<std::string> missing;  // what it takes to decide
};

std::string ToText(const MeasureOutcome& outcome);
// One document, on one line.
std::string ToJson(const MeasureOutcome& outcome);

}  // namespace watchproof
