// SPDX-License-Identifier: Apache-2.0
#include "harness/cli/earlier_run.h"

#include <algorithm>
#include <filesystem>
#include <set>

#include "cases/support/case_registry.h"
#include "harness/cli/parse.h"
#include "harness/cli/passed_on.h"
#include "harness/cli/recordings.h"
#include "harness/cli/run_folder.h"
#include "harness/cli/selection.h"

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

Result<fs::path> FindRun(const std::string& name, const RunOptions& now) {
  std::error_code error;
  for (const fs::path& path : {fs::path(name), now.run_dir / name}) {
    if (fs::exists(path / "run.json", error)) return fs::canonical(path);
  }
  return Fail(StatusCode::kInvalidArgument,
              "{}: expected the folder of a run, or the name of one in {}; `watchproof runs` lists "
              "them",
              name, now.run_dir.string());
}

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

// Of the cases of the run, which may be self-tests.
Cases WhichCases(const RunRecord& earlier) {
  const bool self_test = std::ranges::any_of(earlier.cases, [](const CaseSummary& one) {
    const CaseInfo* const info = FindCase(one.name);
    return info != nullptr && info->expect != Verdict::kPass;
  });
  return self_test ? Cases::kOfWatchproof : Cases::kOfTargets;
}

Status CheckCases(const RunRecord& earlier) {
  for (const CaseSummary& one : earlier.cases) {
    if (FindCase(one.name) == nullptr) {
      return Fail(StatusCode::kInvalidArgument, "this watchproof has no case {}", one.name);
    }
  }
  return {};
}

// As the run resolved them.
Result<RunOptions> Restore(std::string_view flag, const RunRecord& earlier, const RunOptions& now) {
  WP_ASSIGN_OR_RETURN(const auto flags, Combine(flag, earlier, now));
  WP_ASSIGN_OR_RETURN(RunOptions options,
                      OptionsFromWords(WordsOf(flags, earlier), Sources::kWords));
  WP_RETURN_IF_ERROR(CheckCases(earlier));
  options.shard = {};
  options.cases = WhichCases(earlier);
  const auto named = earlier.flags.find("--target");
  for (const TargetSpec& target : options.targets) {
    const bool by_name =
        named == earlier.flags.end() || Contains(named->second.values, target.text);
    if (!by_name) options.unnamed_targets.insert(target.text);
  }
  options.origins = flags;
  options.repeat_flags = earlier.repeat_flags;
  options.dry_run = now.dry_run;
  return options;
}

// Standing promises are asked for again by the cases that show them.
void LeaveOutStanding(RunRecord& earlier) {
  std::erase_if(earlier.attempts,
                [](const auto& one) { return IsStandingCase(one.result.case_name); });
  std::erase_if(earlier.cases, [](const auto& one) { return IsStandingCase(one.name); });
}

bool HasFailed(const AttemptSummary& attempt) {
  if (!attempt.result.standing.empty()) return true;
  switch (OutcomeOf(attempt)) {
    case Outcome::kInconclusive:
    case Outcome::kTargetFailed:
    case Outcome::kFail:
    case Outcome::kRegression:
    case Outcome::kHarnessError:
      return true;
    default:
      return false;
  }
}

Status KeepFailed(RunRecord& earlier) {
  std::erase_if(earlier.attempts, [](const auto& attempt) { return !HasFailed(attempt); });
  if (earlier.attempts.empty()) {
    return Fail(StatusCode::kNotFound, "no attempt failed or was inconclusive");
  }
  std::set<std::string> cases, targets;
  for (const AttemptSummary& one : earlier.attempts) {
    cases.insert(one.result.case_name);
    targets.insert(one.result.target);
  }
  std::erase_if(earlier.cases, [&](const auto& one) { return !cases.contains(one.name); });
  std::erase_if(earlier.targets, [&](const auto& one) { return !targets.contains(one.text); });
  return {};
}

Result<RunOptions> Rerun(RunRecord earlier, const RunOptions& now) {
  if (earlier.flags.contains("--defects")) {
    return Fail(StatusCode::kInvalidArgument,
                "a run of --defects is judged as a whole; expected another, or run it again");
  }
  WP_RETURN_IF_ERROR(KeepFailed(earlier));
  WP_ASSIGN_OR_RETURN(RunOptions options, Restore("--rerun-failed", earlier, now));
  options.rerun_of = earlier.id;
  options.until_fail = false;
  options.repeat = 1;
  for (const AttemptSummary& attempt : earlier.attempts) {
    const AttemptResult& result = attempt.result;
    options.only.insert({result.case_name, result.target, result.attempt});
    options.repeat = std::max(options.repeat, result.attempt);
  }
  return options;
}

Result<RunOptions> Resume(RunRecord earlier, const RunOptions& now) {
  if (earlier.interrupted.empty() && earlier.not_run.empty()) {
    return Fail(StatusCode::kNotFound, "every attempt of it has a result");
  }
  WP_ASSIGN_OR_RETURN(RunOptions options, Restore("--resume", earlier, now));
  options.only = earlier.plan.only;
  options.rerun_of = earlier.rerun_of;
  if (earlier.shard) options.shard = Shard{earlier.shard->index, earlier.shard->count};
  options.resumed = std::move(earlier);
  return options;
}

}  // namespace

Result<RunOptions> OptionsOfEarlier(const RunFlags& flags, const RunOptions& now) {
  const bool resume = !flags.resume().empty();
  const std::string& name = resume ? flags.resume() : flags.rerun_failed();
  const std::string context = fmt::format("{} {}", resume ? "--resume" : "--rerun-failed", name);
  WP_ASSIGN_OR_RETURN(const fs::path run, InContext(context, FindRun(name, now)));
  WP_ASSIGN_OR_RETURN(std::vector<RunRecord> read, InContext(context, ReadRuns({run.string()})));
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

Status CheckSamePrograms(const RunRecord& before, const RunRecord& now) {
  const auto differ = [](std::string_view what, const std::string& sum, const std::string& was) {
    return Fail(StatusCode::kFailedPrecondition,
                "--resume: {} has changed: its SHA-256 is {} and was {}; expected the same, or a "
                "new run with --rerun-failed",
                what, sum, was);
  };
  if (now.program_sha256 != before.program_sha256) {
    return differ("watchproof", now.program_sha256, before.program_sha256);
  }
  for (const auto& [target, was] : before.binaries) {
    const auto found = now.binaries.find(target);
    if (found == now.binaries.end()) {
      return Fail(StatusCode::kNotFound, "--resume: {}: there is no {} any more; SHA-256 {}",
                  target, was.binary.string(), was.sha256);
    }
    if (found->second.sha256 != was.sha256) {
      return differ(found->second.binary.string(), found->second.sha256, was.sha256);
    }
  }
  return {};
}

}  // namespace watchproof
