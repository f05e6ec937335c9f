// SPDX-License-Identifier: Apache-2.0
// `repeat`: one failed attempt of a run again, until it fails once more or was tried often enough.
#include <algorithm>
#include <cstdio>
#include <filesystem>

#include "harness/cli/commands.h"
#include "harness/cli/passed_on.h"
#include "harness/report/text.h"
#include "harness/runs/parse.h"
#include "harness/runs/recordings.h"

namespace watchproof {
namespace {

namespace fs = std::filesystem;

struct RepeatRequest : FindingRequest {
  std::string attempts = "10";
};

Result<RunOptions> OptionsOf(const RepeatRequest& request, const ChosenFinding& chosen,
                             const RepeatSummary& note) {
  std::vector<std::string> words{"--target",      chosen.attempt.target,
                                 "--filter",      chosen.attempt.case_name,
                                 "--seed",        chosen.attempt.seed,
                                 "--jobs",        "1",
                                 "--until-fail",  "--repeat",
                                 request.attempts};
  words.insert(words.end(), note.flags.begin(), note.flags.end());
  Result<RunOptions> parsed = OptionsFromWords(words);
  if (!parsed.has_value()) {
    return std::move(parsed).error().WithContext("the flags of the run are invalid");
  }
  RunOptions options = std::move(parsed).value();
  options.same_seed = true;
  options.tries = 1;  // all with this plan
  // Only this case, whatever the environment selects.
  options.shard = {};
  options.selection = {};
  options.selection.filter = chosen.attempt.case_name;
  // As a line to type: without the flags that only this command adds.
  options.repeat_flags = note.flags;
  return options;
}

ExitCode Conclude(const ChosenFinding& chosen, const RunRecord& record, ExitCode code) {
  int failed = 0;
  int alike = 0;
  int passed = 0;
  for (const AttemptSummary& note : record.attempts) {
    passed += note.result.verdict == Verdict::kPass ? 1 : 0;
    if (note.result.verdict != Verdict::kFail) continue;
    ++failed;
    const bool same =
        Contains(note.result.findings, chosen.finding.guarantee, &FindingRecord::guarantee);
    alike += same ? 1 : 0;
  }
  std::string line =
      fmt::format("failed in {} of {}", failed, Count(record.attempts.size(), "attempt"));
  if (failed != alike) line += fmt::format(", {} of them with {}", alike, chosen.finding.guarantee);
  fmt::print("{}\n", line);
  std::fflush(stdout);
  if (code == ExitCode::kInterrupted || code == ExitCode::kTerminated) return code;
  if (failed > 0) return ExitCode::kFailed;
  if (code == ExitCode::kStaleExpectations) return ExitCode::kOk;  // it passed
  return passed > 0 && code == ExitCode::kInconclusive ? ExitCode::kOk : code;
}

CommandEnd RepeatAttempt(const RepeatRequest& request, const std::string& executable) {
  if (auto count = ParseCount(request.attempts, 1); !count.has_value()) {
    return std::move(count).error().WithContext("--attempts");
  }
  WP_ASSIGN_OR_RETURN(const ChosenFinding chosen, ChooseFinding(request));
  WP_ASSIGN_OR_RETURN(const RepeatSummary note, HowToRepeat(chosen.run));
  const std::string called = FromAnyFolder(executable);
  // Paths among the flags, and in the target, start from where the run was started.
  std::error_code error;
  fs::current_path(note.working_folder, error);
  if (error) {
    return Fail(StatusCode::kInvalidArgument,
                "{}: the run was started there, and it cannot be entered: {}", note.working_folder,
                error.message());
  }
  WP_ASSIGN_OR_RETURN(const RunOptions options, OptionsOf(request, chosen, note));
  RunRecord record;
  const ExitCode code = RunCommand(options, called, &record);
  if (record.attempts.empty()) return code;
  return Conclude(chosen, record, code);
}

}  // namespace

CommandBody AddRepeat(const Command& command) {
  const auto flags = std::make_shared<RepeatRequest>();
  command
      .Word("run", flags->run,
            "Folder of a run with a failed attempt; FOLDER#N for its N-th finding (default: the "
            "first that is new)")
      ->required();
  command.Value("--filter", flags->filter, "PATTERN", "Which case, if several failed");
  command.Value("--target", flags->target, "SPEC", "On which target");
  command.Value("--attempts", flags->attempts, "N", "The most attempts without a failure");
  return [flags, &words = command.words] { return RepeatAttempt(*flags, words[0]); };
}

}  // namespace watchproof
