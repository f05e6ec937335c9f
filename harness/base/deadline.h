// SPDX-License-Identifier: Apache-2.0
// Monotonic time and the instant by which something must have happened.
//
//   Status AwaitServing(Deadline deadline);   ...   AwaitServing(Within(5s));
//
// What is granted is for a machine that has nothing else to do: on a busy one it is as many times
// longer as SetSlowdown said last; it says it again when others want more of it. So no limit
// decides how busy the machine was. A Deadline itself is exact.
//
// Threads: values.
#pragma once

#include <algorithm>
#include <atomic>
#include <chrono>

namespace watchproof {

// Durations carry their unit everywhere in this project.
using namespace std::chrono_literals;  // NOLINT

using Clock = std::chrono::steady_clock;
using TimePoint = Clock::time_point;
using Duration = std::chrono::nanoseconds;

class Deadline {
 public:
  explicit Deadline(Duration budget) : at_(Clock::now() + budget), budget_(budget) {}
  TimePoint at() const { return at_; }
  // What was granted at the start, for messages.
  std::chrono::milliseconds budget() const {
    return std::chrono::duration_cast<std::chrono::milliseconds>(budget_);
  }
  Duration remaining() const { return std::max(Duration::zero(), Duration(at_ - Clock::now())); }
  bool expired() const { return Clock::now() >= at_; }

 private:
  TimePoint at_;
  Duration budget_;
};

namespace internal {
inline std::atomic<double> slowdown{1};
}  // namespace internal
// At least 1.
inline double Slowdown() { return internal::slowdown; }
inline void SetSlowdown(double factor) { internal::slowdown = factor; }
inline Duration OnThisMachine(Duration granted) {
  return std::chrono::duration_cast<Duration>(granted * Slowdown());
}

inline Deadline Within(Duration granted) { return Deadline(OnThisMachine(granted)); }

}  // namespace watchproof
