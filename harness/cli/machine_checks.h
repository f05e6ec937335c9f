// SPDX-License-Identifier: Apache-2.0
// What this machine has of what runs, fetches and consumers need.
//
//   for (const MachineCheck& check :
//        CheckMachine({.run_dir = "watchproof-runs", .jobs = 8, .scratch = folder})) ...
//
// Blocks: a few seconds at most, for the network. Writes to the scratch folder alone. Threads:
// functions without state.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <vector>

#include "harness/report/doctor_report.h"

namespace watchproof {

// What the control groups of a process leave it of the machine: a container has the cores of its
// host in every list, and less of their time.
struct MachineLimits {
  std::optional<double> cores;         // empty: no limit
  std::optional<std::uint64_t> bytes;  // of memory
};
// The tightest of the group and those that it is in; version 2 of control groups, and the roots of
// version 1. What cannot be read limits nothing.
MachineLimits LimitsIn(const std::filesystem::path& groups,
                       const std::filesystem::path& membership);

struct PlannedLoad {
  std::filesystem::path run_dir;
  int jobs = 1;  // cases at a time
  std::filesystem::path scratch;
};
std::vector<MachineCheck> CheckMachine(const PlannedLoad& load);

}  // namespace watchproof
