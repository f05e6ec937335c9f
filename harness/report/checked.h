// SPDX-License-Identifier: Apache-2.0
// What `check --json` prints: a document for each finding, one for each recording behind its
// findings, and one at the end (schemas/check.schema.json).
//
//   WP_ASSIGN_OR_RETURN(const auto lines, FindingLines(checked, findings));
//   fmt::print("{}\n{}\n", RecordingLine(checked), CheckedEnd(counts));
//
// Threads: functions without state.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "harness/base/status.h"
#include "harness/checkers/oracle.h"
#include "harness/results/result.h"

namespace watchproof {

// A finding of a recording, now or before.
struct CheckedFinding {
  FindingRecord finding;
  std::string_view state;           // "new", "same", "gone"
  std::string_view gravity;         // "data"; empty: it is about no guarantee
  std::vector<std::string> bugs{};  // "#20221": those that it looks like, and the target can have
};

// A recording that was judged again, and what came of it.
struct CheckedRecording {
  std::filesystem::path file;
  std::optional<AttemptResult> result;  // of the run that made it
  const JudgedRecording& again;
  std::vector<std::string> coverage;  // of a recording by a proxy
  std::string sentence;               // "same as before (pass, 0 found)"
  std::size_t found = 0;
  std::size_t fresh = 0;  // findings that the earlier result lacks
  std::size_t gone = 0;   // and that it had
  int exit_code = 0;
};

// One line for each, without line ends. Reads the recording for the revisions in their evidence.
Result<std::vector<std::string>> FindingLines(const CheckedRecording& checked,
                                              const std::vector<CheckedFinding>& findings);
std::string RecordingLine(const CheckedRecording& checked);
// For one that could not be judged.
std::string UnreadableLine(const std::filesystem::path& file, const Status& why);

// Over all recordings.
struct CheckedCounts {
  std::size_t recordings = 0;
  std::size_t findings = 0;
  std::size_t fresh = 0;
  int exit_code = 0;
};
std::string CheckedEnd(const CheckedCounts& counts);

}  // namespace watchproof
