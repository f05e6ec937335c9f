// SPDX-License-Identifier: Apache-2.0
// What a list of runs shows of each, without reading more of it than that takes.
//
//   WP_ASSIGN_OR_RETURN(const RunListing run, ListRun("watchproof-runs/20260114T101500Z-7f2c"));
//   out << run.started << run.ending << CountsText(run.tally);
//
// Threads: functions without state.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "harness/base/status.h"
#include "harness/report/run_record.h"

namespace watchproof {

struct RunListing {
  std::string id;
  std::string started;               // UTC, ISO 8601
  std::string ending;                // "finished", "interrupted", "terminated", "killed"
  std::vector<std::string> targets;  // their specs
  Tally tally;                       // of a killed run: also what it did not come to
  std::uint64_t bytes = 0;           // of all its files
  std::string rerun_of;              // empty: of none
};

// A run that is under way reads as "killed". Errors name the file and what was expected.
Result<RunListing> ListRun(const std::filesystem::path& folder);

std::string ToJson(const RunListing& run);  // one document on one line

}  // namespace watchproof
