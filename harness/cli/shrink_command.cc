// SPDX-License-Identifier: Apache-2.0
// `shrink`: the plan of a failed attempt, or a kept script, reduced to what the
// failure needs.
#include <cstdio>

#include "harness/cli/commands.h"
#include "harness/decide/shrink.h"
#include "harness/report/text.h"
#include "harness/report/utc.h"
#include "harness/runs/parse.h"
#include "harness/runs/plan_attempts.h"
#include "harness/scenario/plan_check.h"

namespace watchproof {
namespace {

namespace fs = std::filesystem;

struct ShrinkFlags : FindingRequest {  // of a run folder, or a plan
  std::string tries = "3";             // per candidate
  std::string limit = "5m";            // for the search; the measuring afterwards comes on top
  std::string jobs = std::to_string(UsualJobs());
  std::string out;  // empty: beside the run's own plan
};

struct Options {
  ShrinkOptions search;
  int jobs = 0;
};
Result<Options> Resolve(const ShrinkFlags& flags) {
  Options options;
  WP_ASSIGN_OR_RETURN(options.search.tries, ParseCount(flags.tries, 1));
  WP_ASSIGN_OR_RETURN(options.search.limit, ParseDuration(flags.limit));
  WP_ASSIGN_OR_RETURN(options.jobs, ParseCount(flags.jobs, 1));
  if (fs::is_regular_file(flags.run)) return options;
  const fs::path run = SplitFinding(flags.run).run;
  if (fs::exists(run / "results.jsonl") && fs::exists(run / "plan.jsonl.zst")) return options;
  return Fail(StatusCode::kNotFound,
              "{}: expected the folder of a run, with results.jsonl and "
              "plan.jsonl.zst, or a plan "
              "that `explore --keep` kept",
              flags.run);
}

// Where the attempts are, and by default what they come to: beside the plan, or
// in the run folder.
fs::path FolderOf(const fs::path& run) {
  return fs::is_directory(run) ? run : fs::absolute(run).parent_path();
}
std::string NameOfShrunk(const fs::path& run) {
  return fs::is_directory(run) ? "shrunk.jsonl" : run.stem().string() + "-shrunk.jsonl";
}

std::string Outline(const Plan& plan) {
  const Usage size = UsageOf(plan);
  return fmt::format("{} ({}, {})", Count(plan.steps.size(), "step"),
                     Count(size.operations, "operation"), Count(size.faults, "fault"));
}

// How often it fails comes last: a plan that fails rarely is no answer yet.
ExitCode Report(const ShrunkPlan& shrunk, const fs::path& file) {
  const auto [hits, trials] = shrunk.measured;
  fmt::print("Shrunk in {} attempts and {:.0f} s: {}\n", shrunk.attempts, shrunk.seconds,
             Outline(shrunk.plan));
  for (const std::string& step : StepTexts(shrunk.plan)) fmt::print("  {}\n", step);
  fmt::print("plan    {}\nrepeat  {}\n", file.string(),
             JoinShell({"watchproof", "run", "--plan", file.string()}));
  if (trials == 0) {
    fmt::print("It was not measured how often it fails\n");
  } else if (shrunk.began.hits == 0) {
    fmt::print("It did not fail again in {}, so it is as it was\n", Count(trials, "attempt"));
  } else {
    fmt::print(
        "It fails in {} of {} attempts ({} at 95 %); the plan as it was "
        "in {} of {}\n",
        hits, trials, Percent(ClopperPearson(shrunk.measured)), shrunk.began.hits,
        shrunk.began.trials);
  }
  return hits > 0 ? ExitCode::kOk : ExitCode::kInconclusive;
}

CommandEnd ShrinkCommand(const ShrinkFlags& flags) {
  WP_ASSIGN_OR_RETURN(Options options, Resolve(flags));
  WP_ASSIGN_OR_RETURN(const FailedPlan found, FindFailedPlan(flags));
  const fs::path given = SplitFinding(flags.run).run;
  const fs::path run = FolderOf(given);
  const PlanHeader header = found.header();
  Signals& signals = Signals::Install();
  WP_ASSIGN_OR_RETURN(RunFolder folder, RunFolder::Create(run / "shrink", header.seed, UtcNow()));
  PlanProcesses attempts(found, folder, signals, options.jobs);
  fmt::print("{} on {}, seed {}: {}, broken: {}\n", header.case_name, header.target, header.seed,
             Outline(found.plan), found.guarantee);
  const fs::path file = flags.out.empty() ? run / NameOfShrunk(given) : fs::path(flags.out);
  // The smallest failing plan is always on the disk, however the process ends.
  WP_RETURN_IF_ERROR(WritePlan(file, found.plan, header));
  options.search.keep = [&](const Plan& plan) {
    WP_RETURN_IF_ERROR(WritePlan(file, plan, header));
    fmt::print("  attempt {:>3}: {}\n", attempts.attempts(), Outline(plan));
    std::fflush(stdout);
    return Status();
  };
  const Result<ShrunkPlan> shrunk = Shrink(attempts, found.plan, options.search);
  std::error_code ignored;
  fs::remove_all(run / "shrink", ignored);
  if (!shrunk.has_value()) return {shrunk.error(), ExitCode::kInternal};
  if (!shrunk->complete) fmt::print("  stopped before every smaller plan was tried\n");
  return signals.exit_code().value_or(Report(*shrunk, file));
}

}  // namespace

CommandBody AddShrink(const Command& command) {
  const auto flags = std::make_shared<ShrinkFlags>();
  command
      .Run("run", flags->run,
           "A run with a failed attempt, RUN#N for its N-th finding, or a kept script")
      ->required();
  command.Value("--filter", flags->filter, "PATTERN", "Which case, if several failed");
  command.Value("--target", flags->target, "SPEC", "On which target");
  command.Value("--tries", flags->tries, "N",
                "Attempts with a smaller plan before it counts as passing");
  command.Value("--limit", flags->limit, "TIME", "Time for the search");
  command.Value("--jobs", flags->jobs, "N", "Attempts at a time");
  command.Value("--out", flags->out, "FILE",
                "File for the plan (default: shrunk.jsonl in the run folder)");
  return [flags] { return ShrinkCommand(*flags); };
}

}  // namespace watchproof
