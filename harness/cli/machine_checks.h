// SPDX-License-Identifier: Apache-2.0
// What this machine has of what runs, fetches and consumers need.
//
//   for (const MachineCheck& check :
//        CheckMachine({.run_dir = "watchproof-runs", .jobs = 8, .scratch = folder})) ...
//
// Blocks: a few seconds at most, for the network. Writes to the scratch folder alone. Threads: a
// function without state.
#pragma once

#include <filesystem>
#include <vector>

#include "harness/report/doctor_report.h"

namespace watchproof {

struct PlannedLoad {
  std::filesystem::path run_dir;
  int jobs = 1;  // cases at a time
  std::filesystem::path scratch;
};
std::vector<MachineCheck> CheckMachine(const PlannedLoad& load);

}  // namespace watchproof
