// SPDX-License-Identifier: Apache-2.0
// The record of a run, read back from its folder, also of one that was killed; and several as one.
//
//   WP_ASSIGN_OR_RETURN(SavedRun run, ReadRun("watchproof-runs/latest", DescribeCase));
//   WP_ASSIGN_OR_RETURN(const RunListing listed, ListRun("watchproof-runs/latest"));
//   const RunRecord record = Joined({run, other}, "joined");   // paths start from that folder
//   WP_ASSIGN_OR_RETURN(const RunRecord whole, JoinShards(shards, "merged", DescribeCase));
//   out << Render("report.html", record);
//
// Threads: functions without state.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>
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

// What a list of runs shows of each.
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

// Whether an attempt of it failed in a way that is new, or back. Of one that cannot be read: no.
bool ShowsNewFailure(const std::filesystem::path& folder);

std::string ToJson(const RunListing& run);  // one document on one line

// Whether attempts of a later run are counted on, or keep their numbers.
enum class Numbers { kCountedOn, kAsTheyAre };
// Targets are the same if their specs are. Times start with the first run. Requires: at least one
// run. `folder` is where the reports will be.
RunRecord Joined(std::vector<RunRecord> runs, const std::filesystem::path& folder,
                 Numbers numbers = Numbers::kCountedOn);

// The runs of shards as the run that they are parts of. Attempts of shards that are missing, or
// ended too early, are not run; the record is incomplete then, and says so: "shard 2/3 is missing".
// A shard that was started again has several runs: of an attempt that is in two of them a failure
// counts before a pass, so that no second try hides it, and a verdict before none. Errors name the
// runs that are no parts of one.
Result<RunRecord> JoinShards(std::vector<RunRecord> runs, const std::filesystem::path& folder,
                             const CaseLookup& describe);

}  // namespace watchproof
