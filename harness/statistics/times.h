// SPDX-License-Identifier: Apache-2.0
// What repeated comparisons of two amounts, each as a factor, say about the factor.
//
//   const std::vector<double> times{5.1, 6.0, 5.4, 7.2, 5.5, 5.0};
//   Decide(times, 2);          // kBeyond: it is more than 2 times as much
//   MedianOf(times);           // 5.45
//   MedianInterval(times);     // 5.0 to 7.2: contains the median of all comparisons
//
// Nothing is supposed about how they are distributed, but that one does not depend on another: a
// comparison is beyond a limit or within it, as a coin that is thrown. It is fine to look after
// each, and to stop when it is decided: see paired_evidence.h.
// Threads: pure functions.
#pragma once

#include <vector>

#include "harness/statistics/paired_evidence.h"
#include "harness/statistics/proportion.h"

namespace watchproof {

// How many are beyond the limit (against), and how many are not.
Pairs CountBeyond(const std::vector<double>& times, double limit);

enum class Decided { kBeyond, kWithin, kOpen };
// Whether more than half of all comparisons would be beyond the limit. While exactly half of them
// are, it is ever decided in one of 10 series.
inline constexpr double kEnoughToDecide = 20;
Decided Decide(const std::vector<double>& times, double limit);

// Requires: there is one.
double MedianOf(std::vector<double> values);
// From one of the values to another one: contains the median in at least that share of all series,
// or is as wide as the values.
Interval MedianInterval(std::vector<double> values, double confidence = 0.95);

}  // namespace watchproof
