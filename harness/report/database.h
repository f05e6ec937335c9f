// SPDX-License-Identifier: Apache-2.0
// results.db: one row per attempt of every run in its folder, for queries across runs. A cache of
// the folders.
//
//   WP_RETURN_IF_ERROR(AddToDatabase(run_dir, record.id));
//   for (const PastRun& run : PastRuns(run_dir, record.id, 20)) ...
//
// Rows come from the run's results.jsonl. A database that is missing, broken or of another layout
// is rebuilt from all folders of run_dir; deleting it loses no more than the rows of runs that are
// gone. Threads and processes: several runs may add at the same time; they wait for each other.
#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "harness/base/status.h"

namespace watchproof {

Status AddToDatabase(const std::filesystem::path& run_dir, const std::string& run_id);

// How cases went in an earlier run, over all of its targets.
struct PastRun {
  std::string run;
  // By case: "fail" if an attempt failed anew, else "known", "inconclusive" or "pass"; cases of
  // which nothing was executed are missing.
  std::map<std::string, std::string> outcomes;
};
// The latest runs before this one, the oldest first. Empty where there is no database.
std::vector<PastRun> PastRuns(const std::filesystem::path& run_dir, const std::string& run_id,
                              int most);
// Seconds of an attempt, on average, by case and target.
using Durations = std::map<std::pair<std::string, std::string>, double>;
// How long each attempt in this results.db took that came to an end of its own. Errors name the
// file.
Result<Durations> ReadDurations(const std::filesystem::path& file);
// From the folders alone; returns the number of rows.
Result<int> RebuildDatabase(const std::filesystem::path& run_dir);

}  // namespace watchproof
