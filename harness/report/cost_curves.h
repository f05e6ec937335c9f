// SPDX-License-Identifier: Apache-2.0
// What clients cost the targets of a run: a curve over the targets for each figure of a case.
//
//   for (const CostCurve& curve : CostCurves(record, rows)) {
//     out << curve.at.Name() << StandsOut(curve, rows.labels);
//   }
//
// Threads: pure functions.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "harness/history/json_fields.h"
#include "harness/report/rows.h"
#include "harness/results/measured.h"
#include "harness/statistics/proportion.h"

namespace watchproof {

struct Amount {
  double median = 0;  // over attempts, of their medians
  Interval interval;  // of the median, over all comparisons of all attempts
};

// A target that has values.
struct CostPoint {
  std::size_t target = 0;  // index into the targets of the run
  Amount with;
  Amount without;
  Amount times;  // as bad as without
  // The weightiest of the attempts that broke a promise about this figure; empty: none did.
  std::optional<Outcome> broken{};
};

struct CostCurve {
  FigureAt at;
  std::vector<CostPoint> points;  // in the order of the targets
};

// By measure, then figure, then case; empty if nothing was measured.
std::vector<CostCurve> CostCurves(const RunRecord& record, const ReportRows& rows);

// "etcd 3.6.8: 4.8 times as bad as before beside a watch that has caught up; etcd 3.6.7: 4.1":
// those that are far worse than the best target and surely worse than before, the worst first;
// empty: none.
std::string StandsOut(const CostCurve& curve, const std::vector<std::string>& labels);

// As on the page.
Json ToJson(const std::vector<CostCurve>& curves, const std::vector<std::string>& labels);

}  // namespace watchproof
