// SPDX-License-Identifier: Apache-2.0
#include "harness/statistics/gate_simulation.h"

#include <algorithm>

namespace watchproof {
namespace {

constexpr const char* kGuarantee = "Simulated";

AttemptEnd Draw(double fails, Prng& prng) {
  AttemptEnd end{.conclusive = true};
  if (prng.Chance(fails)) end.broken[kGuarantee].insert("");
  return end;
}

}  // namespace

SimulatedGate Simulate(const std::vector<SimulatedCase>& cases, const SimulationLimits& limits,
                       Prng& prng) {
  std::vector<GateCase> infos;
  for (const SimulatedCase& one : cases) infos.push_back(one.info);
  GateTrial trial(infos, {kGuarantee});
  SimulatedGate gate;
  double deeper_until = 0;
  while (gate.seconds < limits.seconds) {
    const GateState state = trial.state();
    if (state == GateState::kWorse) break;
    const bool open = state == GateState::kOpen;
    if (!open && deeper_until == 0) {
      deeper_until = gate.seconds + (limits.seconds - gate.seconds) * kShareOfDeeper;
    }
    const bool deeper = gate.seconds < deeper_until;
    if (!open && !deeper) break;
    const auto pairs = trial.Next(static_cast<std::size_t>(limits.at_a_time),
                                  deeper ? GateTrial::Depth::kDeeper : GateTrial::Depth::kEnough);
    if (pairs.empty()) break;
    for (const NextPair& pair : pairs) {
      const SimulatedCase& one = cases[pair.index];
      const AttemptEnd base = Draw(one.base_fails, prng);
      trial.Add(pair.index, base, Draw(one.head_fails, prng));
      gate.seconds += 2 * one.seconds / limits.at_a_time;
    }
  }
  gate.state = trial.state();
  return gate;
}

std::vector<Power> PowerOf(std::size_t cases, double seconds_per_attempt,
                           const SimulationLimits& limits) {
  constexpr int kGates = 100;
  std::vector<Power> table;
  Prng prng(1);
  for (const double fails : {1.0, 0.5, 0.2, 0.1, 0.05, 0.02}) {
    std::vector<SimulatedCase> made(cases, {.seconds = seconds_per_attempt});
    made[cases / 2].head_fails = fails;
    std::vector<double> times;
    for (int i = 0; i < kGates; ++i) {
      const SimulatedGate gate = Simulate(made, limits, prng);
      if (gate.state == GateState::kWorse) times.push_back(gate.seconds);
    }
    std::ranges::sort(times);
    table.push_back({.fails = fails,
                     .gates = kGates,
                     .found = static_cast<int>(times.size()),
                     .median_seconds = times.empty() ? 0 : times[times.size() / 2]});
  }
  return table;
}

}  // namespace watchproof
