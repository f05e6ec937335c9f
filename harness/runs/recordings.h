// SPDX-License-Identifier: Apache-2.0
// What runs and the proxy left: runs, with what this executable knows of their cases; recordings
// below a path, which can be judged again; the failed attempts of a run, and one of its findings,
// as commands name it: FOLDER#N, or the first that is new.
//
//   WP_ASSIGN_OR_RETURN(std::vector<RunRecord> runs, ReadRuns({"watchproof-runs/latest"}));
//   WP_ASSIGN_OR_RETURN(auto recordings, FindRecordings("watchproof-runs/latest"));
//   WP_ASSIGN_OR_RETURN(Rejudged again, JudgeRecording(recordings[0].file));
//   WP_ASSIGN_OR_RETURN(const ChosenFinding chosen, ChooseFinding({.run = "latest#3"}));
//
// Threads: functions without state.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "harness/base/status.h"
#include "harness/checkers/oracle.h"
#include "harness/report/run_json.h"
#include "harness/report/run_record.h"
#include "harness/session/finding_records.h"

namespace watchproof {

struct FoundRecording {
  std::filesystem::path file;
  std::optional<AttemptResult> result;  // of the run that made it, if its folder still has it
};

// Empty texts let every recording through, others those of attempts alone.
struct RecordingFilter {
  std::string case_name{};
  std::string target{};
};
// A recording, or every one in a folder (an attempt's, a run's, one with many runs), by path.
// Errors name what was given; a folder without any is one, and so is one without any of the filter.
Result<std::vector<FoundRecording>> FindRecordings(const std::filesystem::path& given,
                                                   const RecordingFilter& filter = {});

// The failed attempts of a run, in its order. Empty texts let every case and target through.
std::vector<AttemptResult> FailedAttempts(const std::filesystem::path& run,
                                          const std::string& filter, const std::string& target);

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
// Findings are counted over the failed attempts, in the order of results.jsonl; only those of the
// chosen attempt are read. Errors name the folder and what was expected.
Result<ChosenFinding> ChooseFinding(const FindingRequest& request);

struct Rejudged : JudgedRecording {
  // One for each finding in the judgement, without the messages.
  std::vector<FindingRecord> findings;
};
// With the current checkers and the options of the recorded run. A cut-off or damaged recording is
// judged up to the last line that could be verified. An error if the file is not a recording.
Result<Rejudged> JudgeRecording(const std::filesystem::path& file);

// What a passive recording shows and what it cannot show, for people.
std::vector<std::string> CoverageLines(const JudgedRecording& judged);
// Why a passive recording without a finding is no pass; empty: it is one, of what it shows.
std::string WhyNothingIsProven(const JudgedRecording& judged);
// Why a recording, of an attempt that ended so, proves nothing; empty: it was judged to its end.
std::string WhyInconclusive(const std::optional<AttemptResult>& result, const Rejudged& again);

// What this executable knows of a case by its name.
CaseSummary DescribeCase(const std::string& name);
// In the order of the folders, which no run removes while this process reads them. Errors name the
// folder and what was expected.
Result<std::vector<RunRecord>> ReadRuns(const std::vector<std::string>& folders);

// The flags and the working folder of a run. Errors name its run.json.
Result<RepeatSummary> HowToRepeat(const std::filesystem::path& run);
// As this program, which was called so, can be called from any working folder.
std::string FromAnyFolder(const std::string& executable);

// Leaves the cases that match the pattern, if it is not empty. An error: none does.
Status KeepCases(const std::string& pattern, RunRecord& record);

}  // namespace watchproof
