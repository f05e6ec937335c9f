// SPDX-License-Identifier: Apache-2.0
// Figures of times that were taken.
//
//   times.push_back(Microseconds(Clock::now() - begun));
//   fmt::print("{:.1f}", Quantile(times, 0.99));
//
// Threads: pure functions.
#pragma once

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <vector>

#include "harness/base/deadline.h"

namespace watchproof {

// Requires: there are some.
inline double Quantile(std::vector<double> values, double part) {
  const auto at = static_cast<std::size_t>(part * static_cast<double>(values.size() - 1));
  std::nth_element(values.begin(), values.begin() + static_cast<std::ptrdiff_t>(at), values.end());
  return values[at];
}

inline double Microseconds(Duration time) {
  return std::chrono::duration<double, std::micro>(time).count();
}

}  // namespace watchproof
