// SPDX-License-Identifier: Apache-2.0
#include "harness/statistics/measure_trial.h"

#include <algorithm>

#include "harness/statistics/times.h"

namespace watchproof {

Pairs FigureState::counted() const { return CountBeyond(times, 1 + tolerance); }

double FigureState::evidence() const { return Evidence(counted(), kShareByChance); }

bool FigureState::suspect() const {
  return counted().against > kShareByChance * static_cast<double>(times.size());
}

bool FigureState::excluded() const { return Decide(times, 1 + tolerance) == Decided::kWithin; }

void MeasureTrial::Add(const std::string& name, double tolerance, double times) {
  FigureState& figure = figures_[name];
  figure.tolerance = tolerance;
  figure.times.push_back(times);
}

double MeasureTrial::evidence() const {
  double won = 0;
  for (const auto& [name, figure] : figures_) {
    won += figure.evidence() / static_cast<double>(figures_.size());
  }
  return won;
}

MeasureState MeasureTrial::state() const {
  if (evidence() >= kEnoughEvidence) return MeasureState::kWorse;
  const bool excluded =
      std::ranges::all_of(figures_, [](const auto& one) { return one.second.excluded(); });
  return excluded && !figures_.empty() ? MeasureState::kNotWorse : MeasureState::kOpen;
}

}  // namespace watchproof
