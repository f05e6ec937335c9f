// SPDX-License-Identifier: Apache-2.0
// A line of results.jsonl, which is never long, and the whole result behind it.
//
//   folder.AppendLine("results.jsonl", ToResultsLine(result));
//   WP_ASSIGN_OR_RETURN(AttemptResult result, ReadResultsLine(line, run_folder));
//
// Tools read the file line by line, some into a buffer of fixed size. A line that would reach 64
// KiB keeps the guarantee, clause, watch, expected, observed and evidence of the first findings,
// shortened, and says in "more_findings" how many more there are; findings.json in the attempt's
// folder has all. Threads: functions without state.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>

#include "harness/base/status.h"
#include "harness/results/result.h"

namespace watchproof {

// One JSON document, shorter than 64 KiB, without the line end.
std::string ToResultsLine(const AttemptResult& result);

// With every finding, as far as findings.json is still there.
Result<AttemptResult> ReadResultsLine(std::string_view line, const std::filesystem::path& run);

// The line alone: no other file is read, so some findings may be missing.
struct BriefResult {
  AttemptResult result;
  std::size_t findings = 0;  // as ReadResultsLine has them
};
Result<BriefResult> ReadBriefly(std::string_view line, const std::filesystem::path& run);

}  // namespace watchproof
