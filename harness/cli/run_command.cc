// SPDX-License-Identifier: Apache-2.0
// `run` and `selftest`: every selected case on every target.
#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "harness/base/escape.h"
#include "harness/cli/commands.h"
#include "harness/cli/earlier_flags.h"
#include "harness/report/formats.h"
#include "harness/report/workflow_commands.h"
#include "harness/runs/recordings.h"
#include "harness/runs/run.h"

namespace watchproof {
namespace {

// On standard error, since a run may print documents only on standard output; the log has both.
void InformGithub(const RunRecord& record) {
  const auto variable = [](const char* name) {
    const char* value = std::getenv(name);
    return std::filesystem::path(value == nullptr ? "" : value);
  };
  const std::filesystem::path checkout = variable("GITHUB_WORKSPACE");
  fmt::print(stderr, "{}", Annotations(record, [&checkout](const std::string& file) {
               std::error_code ignored;
               return std::filesystem::exists(checkout / file, ignored);
             }));
  const std::filesystem::path summary = variable("GITHUB_STEP_SUMMARY");
  if (summary.empty()) return;
  std::ofstream file(summary, std::ios::app);
  file << Render("summary.md", record) << '\n';
  if (!file.flush()) {
    fmt::print(stderr, "watchproof: {}: the summary of the job was not written\n",
               Escaped(summary.string()));
  }
}

}  // namespace

ExitCode ReportEnd(const CommandEnd& end) {
  return end.why.empty() ? end.code : Complain("run", end.why, end.code);
}

CommandEnd RunCommand(RunOptions options, const std::string& executable, RunRecord* done) {
  const bool dry_run = options.dry_run;
  const int keep_runs = options.keep_runs;
  const bool on_github = options.github;
  tl::expected<Run, CommandEnd> run = Run::Prepare(std::move(options), executable);
  if (!run.has_value()) return run.error();
  if (dry_run) {
    run->PrintPlan();
    return ExitCode::kOk;
  }
  if (const auto refused = run->Begin()) return *refused;
  run->RunCases(run->cases(), run->targets());
  CommandEnd end = run->End();
  if (on_github) InformGithub(run->record());
  RemoveOldRuns(run->folder().run_dir(), keep_runs);
  if (done != nullptr) *done = run->record();
  return end;
}

CommandBody AddRun(const Command& command, Cases cases) {
  const auto flags = std::make_shared<RunFlags>(command.parser);
  flags->AddEarlierRuns();
  return [flags, cases, &words = command.words]() -> CommandEnd {
    WP_ASSIGN_OR_RETURN(RunOptions options, flags->Resolve(words));
    options.cases = cases;
    if (flags->resume().empty() && flags->rerun_failed().empty()) {
      return RunCommand(options, words[0]);
    }
    // Before the working folder changes.
    const std::string called = FromAnyFolder(words[0]);
    const Result<RunOptions> earlier = OptionsOfEarlier(*flags, options);
    if (earlier.has_value()) return RunCommand(*earlier, called);
    const bool nothing = earlier.error().code() == StatusCode::kNotFound;
    return {earlier.error(), nothing ? ExitCode::kNothingSelected : ExitCode::kUsage};
  };
}

}  // namespace watchproof
