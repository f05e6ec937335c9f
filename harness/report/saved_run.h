// SPDX-License-Identifier: Apache-2.0
// The record of a run, read back from its folder, also of one that was killed; and several as one.
//
//   WP_ASSIGN_OR_RETURN(SavedRun run, ReadRun("watchproof-runs/latest", DescribeCase));
//   const RunRecord record = Joined({run, other}, "joined");   // paths start from that folder
//   out << Render("report.html", record);
//
// Threads: functions without state.
#pragma once

#include <filesystem>
#include <functional>
#include <vector>

#include "harness/base/status.h"
#include "harness/report/run_record.h"

namespace watchproof {

// What is known of a case by its name; a case that no longer exists has only its name.
using CaseLookup = std::function<CaseSummary(const std::string& name)>;

// From run.json, plan.jsonl.zst and results.jsonl. Half a line at the end, left by a killed run, is
// not an error; attempts without a line did not run. Failures are known if they were in that run,
// or if the built-in manifest expects them. Errors name the file and what was expected.
Result<RunRecord> ReadRun(const std::filesystem::path& folder, const CaseLookup& describe);

// Whether attempts of a later run are counted on, or keep their numbers.
enum class Numbers { kCountedOn, kAsTheyAre };
// Targets are the same if their specs are. Times start with the first run. Requires: at least one
// run. `folder` is where the reports will be.
RunRecord Joined(std::vector<RunRecord> runs, const std::filesystem::path& folder,
                 Numbers numbers = Numbers::kCountedOn);

}  // namespace watchproof
