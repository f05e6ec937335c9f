// SPDX-License-Identifier: Apache-2.0
// Finds recordings below a path and failed attempts of a run, and judges a recording again.
//
//   WP_ASSIGN_OR_RETURN(auto recordings, FindRecordings("watchproof-runs/latest"));
//   WP_ASSIGN_OR_RETURN(Rejudged again, JudgeRecording(recordings[0].file));
//
// Threads: functions without state.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "harness/checkers/oracle.h"
#include "harness/session/finding_records.h"

namespace watchproof {

struct FoundRecording {
  std::filesystem::path file;
  std::optional<AttemptResult> result;  // of the run that made it, if its folder still has it
};

// A recording, or every one in a folder (an attempt's, a run's, one with many runs), by path.
// Errors name what was given; a folder without any is one.
Result<std::vector<FoundRecording>> FindRecordings(const std::filesystem::path& given);

// The failed attempts of a run, in its order. Empty texts let every case and target through.
std::vector<AttemptResult> FailedAttempts(const std::filesystem::path& run,
                                          const std::string& filter, const std::string& target);

struct Rejudged : JudgedRecording {
  // Of each finding in the judgement, without the messages.
  std::vector<FindingRecord> findings;
};
// With the current checkers and the options of the recorded run. A cut-off or damaged recording is
// judged up to the last line that could be verified. An error if the file is not a recording.
Result<Rejudged> JudgeRecording(const std::filesystem::path& file);

}  // namespace watchproof
