// SPDX-License-Identifier: Apache-2.0
#include "harness/cli/earlier_flags.h"

#include <filesystem>

#include "harness/cli/passed_on.h"
#include "harness/runs/earlier_run.h"
#include "harness/runs/parse.h"
#include "harness/runs/recordings.h"
#include "harness/runs/run_folder.h"
#include "harness/runs/selection.h"

namespace watchproof {
namespace {

namespace fs = std::filesystem;

// What this command line decides: it changes no verdict.
constexpr std::string_view kOfNow[] = {"--jobs",      "--keep",    "--keep-runs", "--quiet",
                                       "--verbose",   "--json",    "--color",     "--progress",
                                       "--fail-fast", "--run-dir", "--ci"};
// What the record of the run says more exactly than its flags.
constexpr std::string_view kOfRecord[] = {
    "--target", "--releases",  "--filter", "--exclude",      "--guarantee",
    "--level",  "--profile",   "--shard",  "--shards",       "--shard-by",
    "--seed",   "--seed-from", "--resume", "--rerun-failed", "--config-file"};

// The flags of the run, with those of this command line that may be given anew.
Result<std::map<std::string, FlagSummary>> Combine(std::string_view flag, const RunRecord& earlier,
                                                   const RunOptions& now) {
  std::map<std::string, FlagSummary> flags = earlier.flags;
  for (const auto& [name, given] : now.origins) {
    if (Contains(kOfNow, name)) {
      flags[name] = given;
    } else if (given.origin == "flag" && name != flag && name != "--dry-run" &&
               name != "--config-file") {
      return Fail(StatusCode::kInvalidArgument,
                  "{}: the run decides what {} would change; leave it out, or start a new run",
                  flag, name);
    }
  }
  return flags;
}

std::vector<std::string> WordsOf(const std::map<std::string, FlagSummary>& flags,
                                 const RunRecord& earlier) {
  std::vector<std::string> words;
  for (const auto& [name, flag] : flags) {
    if (Contains(kOfRecord, name)) continue;
    for (const std::string& value : flag.values) words.push_back(name + "=" + value);
  }
  std::string names;
  for (const CaseSummary& one : earlier.cases) names += (names.empty() ? "" : ":") + one.name;
  words.insert(words.end(), {"--filter=" + names, "--seed=" + earlier.seed});
  if (flags.contains("--defects")) return words;  // they are its targets
  for (const TargetSpec& target : earlier.targets) words.push_back("--target=" + target.text);
  return words;
}

// As the run resolved them.
Result<RunOptions> Restore(std::string_view flag, const RunRecord& earlier, const RunOptions& now) {
  WP_ASSIGN_OR_RETURN(const auto flags, Combine(flag, earlier, now));
  WP_ASSIGN_OR_RETURN(RunOptions options,
                      OptionsFromWords(WordsOf(flags, earlier), Sources::kWords));
  WP_RETURN_IF_ERROR(TakeCasesOf(earlier, options));
  options.origins = flags;
  options.repeat_flags = earlier.repeat_flags;
  options.dry_run = now.dry_run;
  return options;
}

Result<RunOptions> Rerun(RunRecord earlier, const RunOptions& now) {
  if (earlier.flags.contains("--defects")) {
    return Fail(StatusCode::kInvalidArgument,
                "a run of --defects is judged as a whole; expected another, or run it again");
  }
  WP_RETURN_IF_ERROR(KeepFailed(earlier));
  WP_ASSIGN_OR_RETURN(RunOptions options, Restore("--rerun-failed", earlier, now));
  AttemptsAgain(earlier, options);
  return options;
}

Result<RunOptions> Resume(RunRecord earlier, const RunOptions& now) {
  if (earlier.interrupted.empty() && earlier.not_run.empty()) {
    return Fail(StatusCode::kNotFound, "every attempt of it has a result");
  }
  WP_ASSIGN_OR_RETURN(RunOptions options, Restore("--resume", earlier, now));
  GoOnWith(std::move(earlier), options);
  return options;
}

}  // namespace

Result<RunOptions> OptionsOfEarlier(const RunFlags& flags, const RunOptions& now) {
  const bool resume = !flags.resume().empty();
  const std::string& name = resume ? flags.resume() : flags.rerun_failed();
  const std::string context = fmt::format("{} {}", resume ? "--resume" : "--rerun-failed", name);
  WP_ASSIGN_OR_RETURN(const std::string found, InContext(context, FindRun(name, now.run_dir)));
  WP_ASSIGN_OR_RETURN(std::vector<RunRecord> read, InContext(context, ReadRuns({found})));
  const fs::path run = fs::canonical(found);
  RunRecord& earlier = read.front();
  LeaveOutStanding(earlier);
  if (earlier.program_sha256.empty()) {
    return Fail(StatusCode::kInvalidArgument, "{}: it was made by another version, or not by `run`",
                context);
  }
  WP_ASSIGN_OR_RETURN(const RepeatSummary summary, HowToRepeat(run));
  const std::string& working_folder = summary.working_folder;
  // Before the working folder changes.
  const fs::path run_dir = resume ? run.parent_path() : fs::absolute(now.run_dir);
  std::error_code error;
  if (!fs::equivalent(working_folder, fs::current_path(), error)) {
    fs::current_path(working_folder, error);
    if (error) {
      return Fail(StatusCode::kInvalidArgument,
                  "{}: the run was started in {}, which cannot be entered: {}", context,
                  working_folder, error.message());
    }
  }
  WP_ASSIGN_OR_RETURN(RunOptions options,
                      InContext(context, resume ? Resume(std::move(earlier), now)
                                                : Rerun(std::move(earlier), now)));
  // As short as it was, where it means the same.
  options.run_dir = fs::equivalent(now.run_dir, run_dir, error) ? now.run_dir : run_dir;
  return options;
}

}  // namespace watchproof
