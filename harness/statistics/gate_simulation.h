// SPDX-License-Identifier: Apache-2.0
// Gates over made-up builds, to know what a gate finds before it runs.
//
//   Prng prng(1);
//   const auto gate = Simulate({{{"Ordered.X"}, .base_fails = 0, .head_fails = 0.1}}, {}, prng);
//
// Threads: functions without state.
#pragma once

#include <vector>

#include "harness/base/prng.h"
#include "harness/statistics/gate_trial.h"

namespace watchproof {

struct SimulatedCase {
  GateCase info;
  double base_fails = 0;  // chance per attempt
  double head_fails = 0;
  double seconds = 2;  // of an attempt
};

struct SimulationLimits {
  double seconds = 900;
  int at_a_time = 8;  // attempts
};

struct SimulatedGate {
  GateState state = GateState::kOpen;
  double seconds = 0;
};

SimulatedGate Simulate(const std::vector<SimulatedCase>& cases, const SimulationLimits& limits,
                       Prng& prng);

// How often gates find the difference: they have `cases` cases that always pass on the base, and
// one of them fails on the head in a share of its attempts.
struct Power {
  double fails = 0;  // that share
  int gates = 0;
  int found = 0;
  double median_seconds = 0;  // of those that found it
};
std::vector<Power> PowerOf(std::size_t cases, double seconds_per_attempt,
                           const SimulationLimits& limits);

}  // namespace watchproof
