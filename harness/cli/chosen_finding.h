// SPDX-License-Identifier: Apache-2.0
// One finding of a run, as commands name it: FOLDER#N, or the first that is new.
//
//   WP_ASSIGN_OR_RETURN(const ChosenFinding chosen, ChooseFinding({.run = "latest#3"}));
//
// Threads: functions without state.
#pragma once

#include <filesystem>
#include <string>

#include "harness/base/status.h"
#include "harness/results/result.h"

namespace watchproof {

struct FindingRequest {
  std::string run;  // FOLDER or FOLDER#FINDING
  std::string filter{};
  std::string target{};
};

struct ChosenFinding {
  std::filesystem::path run;  // canonical
  AttemptResult attempt;
  FindingRecord finding;  // without a guarantee: the attempt failed and has none
};

// Findings are counted over the failed attempts, in the order of results.jsonl. Errors name the
// folder and what was expected.
Result<ChosenFinding> ChooseFinding(const FindingRequest& request);

}  // namespace watchproof
