// SPDX-License-Identifier: Apache-2.0
// `repeat`: one failed attempt of a run again, until it fails once more or was tried often enough.
#include <algorithm>
#include <cstdio>
#include <filesystem>

#include "harness/cli/commands.h"
#include "harness/cli/passed_on.h"
#include "harness/decide/repeated.h"
#include "harness/history/json_fields.h"
#include "harness/report/text.h"
#include "harness/runs/parse.h"
#include "harness/runs/recordings.h"
#include "harness/runs/run_targets.h"

namespace watchproof {
namespace {

namespace fs = std::filesystem;

constexpr int kSchemaOfRepeat = 1;

struct RepeatRequest : FindingRequest {
  std::string attempts = "10";
  bool json = false;
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

ExitCode CodeOf(const Repeated& again, ExitCode code) {
  if (code == ExitCode::kInterrupted || code == ExitCode::kTerminated) return code;
  if (again.failed > 0) return ExitCode::kFailed;
  if (code == ExitCode::kStaleExpectations) return ExitCode::kOk;  // it passed
  return again.passed > 0 && code == ExitCode::kInconclusive ? ExitCode::kOk : code;
}

// The last line; with --json as report/schemas/repeat.schema.json describes it.
ExitCode Conclude(const ChosenFinding& chosen, const RunRecord& record, ExitCode run_ended,
                  bool json) {
  const std::string& guarantee = chosen.finding.guarantee;
  const Repeated again = CountRepeated(record, guarantee);
  const ExitCode code = CodeOf(again, run_ended);
  if (json) {
    fmt::print("{}\n", DumpJson(Json{{"kind", "repeat"},
                                     {"schema", kSchemaOfRepeat},
                                     {"case", chosen.attempt.case_name},
                                     {"target", chosen.attempt.target},
                                     {"guarantee", guarantee},
                                     {"attempts", record.attempts.size()},
                                     {"failed", again.failed},
                                     {"alike", again.alike},
                                     {"exit_code", static_cast<int>(code)}}));
  } else {
    std::string line =
        fmt::format("failed in {} of {}", again.failed, Count(record.attempts.size(), "attempt"));
    if (again.failed != again.alike) {
      line += fmt::format(", {} of them with {}", again.alike, guarantee);
    }
    fmt::print("{}\n", line);
  }
  std::fflush(stdout);
  return code;
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
  WP_ASSIGN_OR_RETURN(RunOptions options, OptionsOf(chosen.attempt, attempts, note));
  options.json = request.json;
  RunRecord record;
  const CommandEnd end = RunCommand(options, called, &record);
  if (record.attempts.empty()) return end;
  return Conclude(chosen, record, ReportEnd(end), request.json);
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
  command.Switch("--json", flags->json,
                 "One JSON document per line on standard output: those of run, then one more");
  return [flags, &words = command.words] { return RepeatAttempt(*flags, words[0]); };
}

}  // namespace watchproof
