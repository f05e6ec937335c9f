// SPDX-License-Identifier: Apache-2.0
// How delays went over time, in stretches of equal length since the recording began.
//
//   CourseMeter meter;
//   meter.Delivered(written, at);   meter.Spread(slowest - fastest, at);   // in any order
//   const LagCourse course = meter.Summary();
//
// Memory: constant; with longer recordings the stretches become longer. Not thread-safe.
#pragma once

#include <cstdint>
#include <vector>

#include "harness/base/deadline.h"
#include "harness/base/histogram.h"

namespace watchproof {

struct LagCourse {
  std::int64_t step_us = 0;  // the length of a stretch; 0: nothing was delivered
  // By stretch:
  std::vector<std::int64_t> events{};     // delivered in it
  std::vector<std::int64_t> p50_us{};     // of their delays
  std::vector<std::int64_t> p99_us{};     // of their delays
  std::vector<std::int64_t> spread_us{};  // the most by which the slowest watch of a stream was
                                          // given a revision later than the fastest one
  std::vector<std::int64_t> waiting{};    // events written and not yet delivered, at its end
};

class CourseMeter {
 public:
  // An event for which a watch had waited since then.
  void Delivered(Duration since, Duration at);
  void Spread(Duration spread, Duration at);
  LagCourse Summary() const;

 private:
  struct Stretch {
    Histogram delays_us;
    Duration spread{};
    std::int64_t waiting = 0;  // how many more wait at its end than at its begin
  };
  Stretch& At(Duration at);

  Duration step_ = std::chrono::milliseconds(10);
  std::vector<Stretch> stretches_;
};

}  // namespace watchproof
