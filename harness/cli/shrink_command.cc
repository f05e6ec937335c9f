// SPDX-License-Identifier: Apache-2.0
// `shrink`: the plan of a failed attempt, reduced to what the failure needs.
#include <fmt/format.h>
#include <signal.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <fstream>

#include "harness/cli/commands.h"
#include "harness/cli/parse.h"
#include "harness/cli/plan_attempts.h"
#include "harness/cli/recordings.h"
#include "harness/cli/run_options.h"
#include "harness/report/text.h"
#include "harness/report/utc.h"
#include "harness/scenario/plan_check.h"
#include "harness/scenario/shrinker.h"

namespace watchproof {
namespace {

namespace fs = std::filesystem;

constexpr int kMeasured = 20;  // attempts with the smallest plan

struct ShrinkFlags {
  std::string run;     // a run folder
  std::string filter;  // a case, as in run
  std::string target;
  std::string tries = "3";   // per candidate
  std::string limit = "5m";  // for the search; the measuring afterwards comes on top
  std::string jobs = std::to_string(DefaultJobs());
  std::string out;  // empty: beside the run's own plan
};

struct Options {
  fs::path run;
  int tries = 3;
  Duration limit{};
  int jobs = 0;
};
Result<Options> Resolve(const ShrinkFlags& flags) {
  Options options{.run = flags.run};
  WP_ASSIGN_OR_RETURN(options.tries, ParseCount(flags.tries, 1));
  WP_ASSIGN_OR_RETURN(options.limit, ParseDuration(flags.limit));
  WP_ASSIGN_OR_RETURN(options.jobs, ParseCount(flags.jobs, 1));
  if (!fs::exists(options.run / "results.jsonl") || !fs::exists(options.run / "plan.jsonl.zst")) {
    return Fail(StatusCode::kNotFound,
                "{}: expected the folder of a run, with results.jsonl and plan.jsonl.zst",
                flags.run);
  }
  return options;
}

// Chooses the failed attempt: the first new failure, or else the first known one.
Result<AttemptResult> ChooseAttempt(const ShrinkFlags& flags) {
  std::vector<AttemptResult> failed = FailedAttempts(flags.run, flags.filter, flags.target);
  std::erase_if(failed, [](const AttemptResult& result) { return result.findings.empty(); });
  if (failed.empty()) {
    return Fail(StatusCode::kNotFound, "no attempt of {} failed{}{}", flags.run,
                flags.filter.empty() ? "" : " that matches " + flags.filter,
                flags.target.empty() ? "" : " on " + flags.target);
  }
  const auto fresh = std::find_if(failed.begin(), failed.end(),
                                  [](const AttemptResult& result) { return !result.known; });
  return fresh == failed.end() ? failed.front() : *fresh;
}

struct Found {
  AttemptSpec spec;
  TargetSpec target;
  Plan plan;
  PlanHeader header() const {
    return {.case_name = spec.case_name, .target = spec.target, .seed = FormatSeed(spec.seed)};
  }
};

Result<Found> FindAttempt(const fs::path& run, const AttemptResult& attempt) {
  Found found;
  found.spec.case_name = attempt.case_name;
  found.spec.target = attempt.target;
  WP_ASSIGN_OR_RETURN(found.target, ParseTargetSpec(attempt.target));
  WP_ASSIGN_OR_RETURN(found.spec.seed, ParseSeed(attempt.seed));
  PlanHeader header = found.header();
  header.attempt = attempt.attempt;
  WP_ASSIGN_OR_RETURN(RecordedPlan recorded, FindPlan(run / "plan.jsonl.zst", header));
  found.spec.bypass_proxy = recorded.bypass_proxy;
  found.spec.no_faults = recorded.no_faults;
  found.spec.faults = std::move(recorded.faults);
  found.plan = std::move(recorded.plan);
  return found;
}

std::string Outline(const Plan& plan) {
  const Usage size = UsageOf(plan);
  return fmt::format("{} ({}, {})", Count(plan.steps.size(), "step"),
                     Count(size.operations, "operation"), Count(size.faults, "fault"));
}

// Wilson's interval for a share, at 95 %.
std::pair<double, double> Interval(const AttemptCount& count) {
  constexpr double kZ = 1.96;
  const double n = count.tried;
  const double share = count.failed / n;
  const double middle = (share + kZ * kZ / (2 * n)) / (1 + kZ * kZ / n);
  const double half =
      kZ / (1 + kZ * kZ / n) * std::sqrt(share * (1 - share) / n + kZ * kZ / (4 * n * n));
  return {std::max(0.0, middle - half), std::min(1.0, middle + half)};
}

// The smallest failing plan is always on the disk, however the process ends.
Result<Plan> Search(const Options& options, const Found& found, const fs::path& file,
                    PlanAttempts& tries) {
  const Deadline deadline = Within(options.limit);
  Shrinker shrinker(found.plan);
  while (!shrinker.done() && !deadline.expired() && !tries.interrupted()) {
    WP_ASSIGN_OR_RETURN(const auto first,
                        tries.FirstFailing(shrinker.candidates(), options.tries, deadline));
    if (!first && deadline.expired()) break;
    shrinker.Tried(first);
    if (!first) continue;
    WP_RETURN_IF_ERROR(WritePlan(file, shrinker.plan(), found.header()));
    fmt::print("  attempt {:>3}: {}\n", tries.attempts(), Outline(shrinker.plan()));
    std::fflush(stdout);
  }
  if (!shrinker.done()) fmt::print("  stopped before every smaller plan was tried\n");
  return shrinker.plan();
}

ExitCode Report(const Plan& plan, const AttemptCount& count, int attempts, double seconds,
                const fs::path& file) {
  fmt::print("Shrunk in {} attempts and {:.0f} s: {}\n", attempts, seconds, Outline(plan));
  for (const std::string& step : StepLines(plan)) fmt::print("  {}\n", step);
  if (count.tried > 0) {
    const auto [low, high] = Interval(count);
    fmt::print("It fails in {} of {} attempts: a chance of {:.0f} % to {:.0f} % (95 % interval)\n",
               count.failed, count.tried, 100 * low, 100 * high);
  }
  fmt::print("plan    {}\nrepeat  watchproof run --plan {}\n", file.string(), file.string());
  return count.failed > 0 ? ExitCode::kOk : ExitCode::kInconclusive;
}

ExitCode ShrinkCommand(const ShrinkFlags& flags) {
  const Result<Options> options = Resolve(flags);
  if (!options.has_value()) return Complain("shrink", options.error().message());
  HoldRun(options->run);
  const Result<AttemptResult> attempt = ChooseAttempt(flags);
  if (!attempt.has_value()) return Complain("shrink", attempt.error().message());
  const Result<Found> found = FindAttempt(options->run, *attempt);
  if (!found.has_value()) return Complain("shrink", found.error().message());
  const std::string guarantee = attempt->findings.front().guarantee;
  Signals& signals = Signals::Install();
  Result<RunFolder> folder = RunFolder::Create(options->run / "shrink", attempt->seed, UtcNow());
  if (!folder.has_value()) return Complain("shrink", folder.error().message());
  PlanAttempts tries({.spec = found->spec,
                      .target = found->target,
                      .guarantee = guarantee,
                      .folder = *folder,
                      .signals = signals,
                      .jobs = options->jobs});
  fmt::print("{} on {}, seed {}: {}, broken: {}\n", attempt->case_name, attempt->target,
             attempt->seed, Outline(found->plan), guarantee);
  const TimePoint began = Clock::now();
  const fs::path file = flags.out.empty() ? options->run / "shrunk.jsonl" : fs::path(flags.out);
  if (Status written = WritePlan(file, found->plan, found->header()); !written.ok()) {
    return Complain("shrink", written.message());
  }
  const Result<Plan> plan = Search(*options, *found, file, tries);
  const int attempts = tries.attempts();
  const double seconds = std::chrono::duration<double>(Clock::now() - began).count();
  Result<AttemptCount> count = plan.has_value() ? tries.Count(*plan, kMeasured) : AttemptCount{};
  std::error_code ignored;
  fs::remove_all(options->run / "shrink", ignored);
  if (!plan.has_value()) return Complain("shrink", plan.error().message(), ExitCode::kInternal);
  if (!count.has_value()) return Complain("shrink", count.error().message(), ExitCode::kInternal);
  const ExitCode code = Report(*plan, *count, attempts, seconds, file);
  if (!tries.interrupted()) return code;
  return signals.first() == SIGTERM ? ExitCode::kTerminated : ExitCode::kInterrupted;
}

}  // namespace

CommandBody AddShrink(CLI::App& command) {
  const auto flags = std::make_shared<ShrinkFlags>();
  command.add_option("run", flags->run, "Folder of a run with a failed attempt")->required();
  command.add_option("--filter", flags->filter, "Which case, if several failed")
      ->type_name("PATTERN");
  command.add_option("--target", flags->target, "On which target")->type_name("SPEC");
  command
      .add_option("--tries", flags->tries,
                  "Attempts with a smaller plan before it counts as passing")
      ->type_name("N")
      ->capture_default_str();
  command.add_option("--limit", flags->limit, "Time for the search")
      ->type_name("TIME")
      ->capture_default_str();
  command.add_option("--jobs", flags->jobs, "Attempts at a time")
      ->type_name("N")
      ->capture_default_str();
  command
      .add_option("--out", flags->out,
                  "File for the plan (default: shrunk.jsonl in the run folder)")
      ->type_name("FILE");
  return [flags] { return ShrinkCommand(*flags); };
}

}  // namespace watchproof
