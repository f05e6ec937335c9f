// SPDX-License-Identifier: Apache-2.0
// `repeat`: one failed attempt of a run again, until it fails once more or was tried often enough.
#include <algorithm>
#include <cstdio>
#include <filesystem>

#include "harness/cli/commands.h"
#include "harness/cli/passed_on.h"
#include "harness/decide/repeated.h"
#include "harness/report/text.h"
#include "harness/runs/parse.h"
#include "harness/runs/recordings.h"
#include "harness/runs/run_targets.h"

namespace watchproof {
namespace {

namespace fs = std::filesystem;

struct RepeatRequest : FindingRequest {
  std::string attempts = "10";
};

// The one attempt, as the run made it.
Status AskAgain(const AttemptResult& attempt, int attempts, RunOptions& options) {
  WP_RETURN_IF_ERROR(SetTargets({attempt.target}, options));
  WP_RETURN_IF_ERROR(GiveAccess(options));
  WP_ASSIGN_OR_RETURN(options.seed, InContext("--seed", ParseSeed(attempt.seed)));
  // Only this case, whatever the environment selects.
  options.shard = {};
  options.selection = {};
  options.selection.filter = attempt.case_name;
  options.jobs = 1;
  options.until_fail = true;
  options.repeat = attempts;
  options.same_seed = true;
  options.tries = 1;  // all with this plan
  NoteFlag("--target", {attempt.target}, options);
  NoteFlag("--filter", {attempt.case_name}, options);
  NoteFlag("--seed", {attempt.seed}, options);
  NoteFlag("--jobs", {"1"}, options);
  NoteFlag("--until-fail", {"true"}, options);
  NoteFlag("--repeat", {std::to_string(attempts)}, options);
  return {};
}

Result<RunOptions> OptionsOf(const AttemptResult& attempt, int attempts,
                             const RepeatSummary& note) {
  Result<RunOptions> options =
      OptionsFromWords(note.flags, Sources::kAll,
                       {"--target", "--filter", "--seed", "--jobs", "--until-fail", "--repeat"});
  const Status asked =
      options.has_value() ? AskAgain(attempt, attempts, *options) : options.error();
  if (!asked.ok()) return Status(asked).WithContext("the flags of the run are invalid");
  // As a line to type: without the flags that only this command adds.
  options->repeat_flags = note.flags;
  return options;
}

ExitCode Conclude(const ChosenFinding& chosen, const RunRecord& record, ExitCode code) {
  const std::string& guarantee = chosen.finding.guarantee;
  const auto [failed, alike, passed] = CountRepeated(record, guarantee);
  std::string line =
      fmt::format("failed in {} of {}", failed, Count(record.attempts.size(), "attempt"));
  if (failed != alike) line += fmt::format(", {} of them with {}", alike, guarantee);
  fmt::print("{}\n", line);
  std::fflush(stdout);
  if (code == ExitCode::kInterrupted || code == ExitCode::kTerminated) return code;
  if (failed > 0) return ExitCode::kFailed;
  if (code == ExitCode::kStaleExpectations) return ExitCode::kOk;  // it passed
  return passed > 0 && code == ExitCode::kInconclusive ? ExitCode::kOk : code;
}

CommandEnd RepeatAttempt(const RepeatRequest& request, const std::string& executable) {
  WP_ASSIGN_OR_RETURN(const int attempts, InContext("--attempts", ParseCount(request.attempts, 1)));
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
  WP_ASSIGN_OR_RETURN(const RunOptions options, OptionsOf(chosen.attempt, attempts, note));
  RunRecord record;
  const CommandEnd end = RunCommand(options, called, &record);
  if (record.attempts.empty()) return end;
  return Conclude(chosen, record, ReportEnd(end));
}

}  // namespace

CommandBody AddRepeat(const Command& command) {
  const auto flags = std::make_shared<RepeatRequest>();
  command
      .Run("run", flags->run,
           "A run with a failed attempt; RUN#N for its N-th finding (default: the first that is "
           "new)")
      ->required();
  command.Value("--filter", flags->filter, "PATTERN", "Which case, if several failed");
  command.Value("--target", flags->target, "SPEC", "On which target");
  command.Value("--attempts", flags->attempts, "N", "The most attempts without a failure");
  return [flags, &words = command.words] { return RepeatAttempt(*flags, words[0]); };
}

}  // namespace watchproof
