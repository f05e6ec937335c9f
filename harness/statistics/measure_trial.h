// SPDX-License-Identifier: Apache-2.0
// Decides whether figures of one build, the head, are worse than those of another, the base, from
// pairs of attempts with the same plan, made one after the other on one machine.
//
//   MeasureTrial trial;
//   trial.Add("puts beside reads", 0.15, 1.4);   // in one pair: 1.4 times as bad on the head
//   if (trial.state() == MeasureState::kWorse) ...
//
// In a pair a figure is worse if it is so by more than its tolerance. Two attempts on one build
// differ by that in few pairs only, and on a build that is worse in most. Worse: bets on "in more
// than a fifth of all pairs", on each figure alike, have together won 200 times what they began
// with, which happens in at most 1 of 200 gates while a fifth of the pairs is.
// Not worse: of each figure it is excluded, with 95 % confidence, that half of all pairs are.
// It is fine to look after each pair, and to choose the next by what was seen.
// Not thread-safe.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "harness/statistics/paired_evidence.h"

namespace watchproof {

inline constexpr double kShareByChance = 0.2;

struct FigureState {
  double tolerance = 0;
  std::vector<double> times{};  // as bad on the head as on the base, by pair

  Pairs counted() const;
  double evidence() const;
  // Worse more often than by chance, so far.
  bool suspect() const;
  bool excluded() const;
};

enum class MeasureState { kOpen, kWorse, kNotWorse };

class MeasureTrial {
 public:
  // What one pair says of a figure.
  void Add(const std::string& name, double tolerance, double times);

  const std::map<std::string, FigureState>& figures() const { return figures_; }
  double evidence() const;
  // kOpen without any figure.
  MeasureState state() const;

 private:
  std::map<std::string, FigureState> figures_;
};

}  // namespace watchproof
