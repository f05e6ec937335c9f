// SPDX-License-Identifier: Apache-2.0
// What a bisection found, for people and for machines.
//
//   fmt::print("{}", ToText(found));
//
// Threads: functions without state.
#pragma once

#include <string>
#include <vector>

#include "harness/statistics/bisection.h"
#include "harness/statistics/proportion.h"

namespace watchproof {

struct BuildStep {
  std::string name;
  BuildState state = BuildState::kUnknown;
  Proportion counted;   // attempts that showed the bug
  std::string version;  // as the target reports it
  std::string reason;   // why it was skipped
  std::string repeat;   // of the first attempt that showed it
};

struct FoundStep {
  std::vector<BuildStep> steps;  // of all builds, from the good end to the bad one
  std::size_t last_good = 0;
  std::size_t first_bad = 0;
  std::string case_name;
  std::string by{};  // the figure that it is about, and its limit; empty: it is a failure
  std::string key;   // what the answer key says; empty: nothing
  std::vector<std::string> not_fetched{};  // releases that would narrow it, the best first
  std::string run;
  std::string seed;
};

// "etcd 3.5.13: good, shown in 0 of 7"
std::string StepText(const BuildStep& step);
std::string ToText(const FoundStep& found);
std::string ToJson(const FoundStep& found);

}  // namespace watchproof
