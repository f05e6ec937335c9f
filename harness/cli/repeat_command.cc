// SPDX-License-Identifier: Apache-2.0
// `repeat`: one failed attempt of a run again, until it fails once more or was tried often enough.
#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "harness/cli/chosen_finding.h"
#include "harness/cli/commands.h"
#include "harness/cli/parse.h"
#include "harness/cli/passed_on.h"
#include "harness/cli/run_command.h"
#include "harness/report/run_json.h"
#include "harness/report/text.h"

namespace watchproof {
namespace {

namespace fs = std::filesystem;

struct RepeatRequest : FindingRequest {
  std::string attempts = "10";
};

Result<RepeatSummary> NoteOf(const fs::path& run) {
  std::ifstream file(run / "run.json");
  std::ostringstream text;
  text << file.rdbuf();
  auto note = ParseRepeatSummary(text.str());
  if (!note.has_value()) {
    return std::move(note).error().WithContext("{}", (run / "run.json").string());
  }
  return note;
}

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
    const auto& findings = note.result.findings;
    alike += std::any_of(findings.begin(), findings.end(),
                         [&](const auto& one) { return one.guarantee == chosen.finding.guarantee; })
                 ? 1
                 : 0;
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

ExitCode RepeatAttempt(const RepeatRequest& request, const std::string& executable) {
  if (auto count = ParseCount(request.attempts, 1); !count.has_value()) {
    return Complain("repeat", std::move(count).error().WithContext("--attempts").message());
  }
  const Result<ChosenFinding> chosen = ChooseFinding(request);
  if (!chosen.has_value()) return Complain("repeat", chosen.error().message());
  const Result<RepeatSummary> note = NoteOf(chosen->run);
  if (!note.has_value()) return Complain("repeat", note.error().message());
  const bool is_path = executable.find('/') != std::string::npos;
  const std::string called =
      is_path ? fs::absolute(executable).lexically_normal().string() : executable;
  // Paths among the flags, and in the target, start from where the run was started.
  std::error_code error;
  fs::current_path(note->working_folder, error);
  if (error) {
    return Complain("repeat",
                    fmt::format("{}: the run was started there, and it cannot be entered: {}",
                                note->working_folder, error.message()));
  }
  const Result<RunOptions> options = OptionsOf(request, *chosen, *note);
  if (!options.has_value()) return Complain("repeat", options.error().message());
  RunRecord record;
  const ExitCode code = RunCommand(*options, called, &record);
  if (record.attempts.empty()) return code;
  return Conclude(*chosen, record, code);
}

}  // namespace

CommandBody AddRepeat(CLI::App& command, const std::vector<std::string>& words) {
  const auto flags = std::make_shared<RepeatRequest>();
  command
      .add_option("run", flags->run,
                  "Folder of a run with a failed attempt; FOLDER#N for its N-th finding (default: "
                  "the first that is new)")
      ->required();
  command.add_option("--filter", flags->filter, "Which case, if several failed")
      ->type_name("PATTERN");
  command.add_option("--target", flags->target, "On which target")->type_name("SPEC");
  command.add_option("--attempts", flags->attempts, "The most attempts without a failure")
      ->type_name("N")
      ->capture_default_str();
  return [flags, &words] { return RepeatAttempt(*flags, words[0]); };
}

}  // namespace watchproof
