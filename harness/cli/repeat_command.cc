// SPDX-License-Identifier: Apache-2.0
// `repeat`: one failed attempt of a run again, until it fails once more or was tried often enough.
#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <optional>
#include <sstream>

#include "harness/cli/commands.h"
#include "harness/cli/parse.h"
#include "harness/cli/recordings.h"
#include "harness/cli/run_command.h"
#include "harness/report/run_json.h"
#include "harness/report/text.h"

namespace watchproof {
namespace {

namespace fs = std::filesystem;

struct RepeatRequest {
  std::string run;  // FOLDER or FOLDER#FINDING
  std::string filter;
  std::string target;
  std::string attempts = "10";
};

// The argument: a folder and, after a #, the number of a finding in it.
struct Named {
  fs::path run;
  std::optional<int> finding;  // from 1
};
Result<Named> ParseNamed(const std::string& text) {
  Named named{.run = text};
  const std::size_t hash = text.rfind('#');
  std::error_code ignored;
  if (hash != std::string::npos && !fs::exists(named.run, ignored)) {
    named.run = text.substr(0, hash);
    const auto number = ParseCount(text.substr(hash + 1), 1);
    if (!number.has_value()) {
      return Fail(StatusCode::kInvalidArgument, "{}: expected FOLDER#N, the N-th finding of a run",
                  text);
    }
    named.finding = *number;
  }
  if (!fs::exists(named.run / "results.jsonl", ignored) ||
      !fs::exists(named.run / "run.json", ignored)) {
    return Fail(StatusCode::kNotFound,
                "{}: expected the folder of a run, with run.json and results.jsonl",
                named.run.string());
  }
  named.run = fs::canonical(named.run, ignored);
  return named;
}

struct Chosen {
  AttemptResult attempt;
  std::string guarantee;  // of the finding; empty: the attempt has none
};

// Chooses the finding: the one with that number, or the first of a new failure, or the first of
// all.
Result<Chosen> ChooseFinding(const RepeatRequest& request, const Named& named) {
  std::vector<Chosen> findings;
  for (const AttemptResult& result : FailedAttempts(named.run, request.filter, request.target)) {
    for (const FindingRecord& finding : result.findings) {
      findings.push_back({result, finding.guarantee});
    }
    if (result.findings.empty()) findings.push_back({result, ""});
  }
  if (findings.empty()) {
    return Fail(StatusCode::kNotFound, "{}: no attempt failed{}{}", request.run,
                request.filter.empty() ? "" : " that matches " + request.filter,
                request.target.empty() ? "" : " on " + request.target);
  }
  if (named.finding) {
    const auto number = static_cast<std::size_t>(*named.finding);
    if (number <= findings.size()) return findings[number - 1];
    return Fail(StatusCode::kNotFound, "{}: there is no finding {}; there are {}", request.run,
                number, findings.size());
  }
  const auto fresh = std::find_if(findings.begin(), findings.end(),
                                  [](const Chosen& chosen) { return !chosen.attempt.known; });
  return fresh == findings.end() ? findings.front() : *fresh;
}

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

Result<RunOptions> OptionsOf(const RepeatRequest& request, const Chosen& chosen,
                             const RepeatSummary& note) {
  std::vector<std::string> words{"--target",      chosen.attempt.target,
                                 "--filter",      chosen.attempt.case_name,
                                 "--seed",        chosen.attempt.seed,
                                 "--jobs",        "1",
                                 "--until-fail",  "--repeat",
                                 request.attempts};
  words.insert(words.end(), note.flags.begin(), note.flags.end());
  CLI::App app;
  RunFlags flags(app);
  try {
    app.parse(std::vector<std::string>(words.rbegin(), words.rend()));
  } catch (const CLI::ParseError& error) {
    return Fail(StatusCode::kInvalidArgument, "the flags of the run are invalid: {}", error.what());
  }
  WP_ASSIGN_OR_RETURN(RunOptions options, flags.Resolve(words));
  options.same_seed = true;
  // Only this case, whatever the environment selects.
  options.shard = {};
  options.selection = {};
  options.selection.filter = chosen.attempt.case_name;
  // As a line to type: without the flags that only this command adds.
  options.repeat_flags = note.flags;
  return options;
}

ExitCode Conclude(const Chosen& chosen, const RunRecord& record, ExitCode code) {
  int failed = 0;
  int alike = 0;
  int passed = 0;
  for (const AttemptSummary& note : record.attempts) {
    passed += note.result.verdict == Verdict::kPass ? 1 : 0;
    if (note.result.verdict != Verdict::kFail) continue;
    ++failed;
    const auto& findings = note.result.findings;
    alike += std::any_of(findings.begin(), findings.end(),
                         [&](const auto& one) { return one.guarantee == chosen.guarantee; })
                 ? 1
                 : 0;
  }
  std::string line =
      fmt::format("failed in {} of {}", failed, Count(record.attempts.size(), "attempt"));
  if (failed != alike) line += fmt::format(", {} of them with {}", alike, chosen.guarantee);
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
  const Result<Named> named = ParseNamed(request.run);
  if (!named.has_value()) return Complain("repeat", named.error().message());
  const Result<Chosen> chosen = ChooseFinding(request, *named);
  if (!chosen.has_value()) return Complain("repeat", chosen.error().message());
  const Result<RepeatSummary> note = NoteOf(named->run);
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
