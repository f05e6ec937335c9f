// SPDX-License-Identifier: Apache-2.0
// `shrink`: the plan of a failed attempt, or a kept script, reduced to what the failure needs.
#include <signal.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <functional>
#include <map>
#include <optional>

#include "harness/cli/commands.h"
#include "harness/report/text.h"
#include "harness/report/utc.h"
#include "harness/runs/case_process.h"
#include "harness/runs/parse.h"
#include "harness/runs/recordings.h"
#include "harness/scenario/plan_check.h"
#include "harness/scenario/shrinker.h"

namespace watchproof {
namespace {

namespace fs = std::filesystem;

constexpr int kMeasured = 20;  // attempts with the smallest plan

struct ShrinkFlags {
  std::string run;     // a run folder, or a plan
  std::string filter;  // a case, as in run
  std::string target;
  std::string tries = "3";   // per candidate
  std::string limit = "5m";  // for the search; the measuring afterwards comes on top
  std::string jobs = std::to_string(UsualJobs());
  std::string out;  // empty: beside the run's own plan
};

struct Options {
  int tries = 3;
  Duration limit{};
  int jobs = 0;
};
Result<Options> Resolve(const ShrinkFlags& flags) {
  Options options;
  WP_ASSIGN_OR_RETURN(options.tries, ParseCount(flags.tries, 1));
  WP_ASSIGN_OR_RETURN(options.limit, ParseDuration(flags.limit));
  WP_ASSIGN_OR_RETURN(options.jobs, ParseCount(flags.jobs, 1));
  const fs::path run = flags.run;
  if (fs::is_regular_file(run)) return options;
  if (fs::exists(run / "results.jsonl") && fs::exists(run / "plan.jsonl.zst")) return options;
  return Fail(StatusCode::kNotFound,
              "{}: expected the folder of a run, with results.jsonl and plan.jsonl.zst, or a plan "
              "that `explore --keep` kept",
              flags.run);
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
  const auto fresh = std::ranges::find(failed, false, &AttemptResult::known);
  return fresh == failed.end() ? failed.front() : *fresh;
}

struct Found {
  AttemptSpec spec;
  TargetSpec target;
  Plan plan;
  std::string guarantee;  // of its first finding
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
  found.guarantee = attempt.findings.front().guarantee;
  return found;
}

Result<Found> FindInRun(const ShrinkFlags& flags) {
  HoldRun(flags.run);
  WP_ASSIGN_OR_RETURN(const AttemptResult attempt, ChooseAttempt(flags));
  return FindAttempt(flags.run, attempt);
}

// A script that exploration kept, which says itself what it shows.
Result<Found> FindInPlan(const ShrinkFlags& flags) {
  WP_ASSIGN_OR_RETURN(PlanFile file, ReadPlan(flags.run));
  if (file.plan.shows.empty()) {
    return Fail(StatusCode::kInvalidArgument,
                "{}: it does not say what it shows; expected a plan that `explore --keep` kept, or "
                "the folder of a run",
                flags.run);
  }
  Found found;
  found.spec.case_name = file.header.case_name;
  found.spec.target = flags.target.empty() ? file.header.target : flags.target;
  WP_ASSIGN_OR_RETURN(found.target, ParseTargetSpec(found.spec.target));
  WP_ASSIGN_OR_RETURN(found.spec.seed, ParseSeed(file.header.seed));
  found.guarantee = file.plan.shows;
  found.plan = std::move(file.plan);
  return found;
}

// Where the attempts are, and by default what they come to: beside the plan, or in the run folder.
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

struct AttemptCount {
  int failed = 0;
  int tried = 0;
};

// Follows plans, each attempt in its own process and a few at a time, to see which still fail: with
// a finding of the wanted guarantee. Any other end, a harness error included, does not count as
// failing. Stops early when a signal comes. No process and no file of an attempt outlives a call.
class PlanAttempts {
 public:
  // Ownership: borrows everything.
  PlanAttempts(const Found& found, RunFolder& folder, Signals& signals, int jobs)
      : found_(found), folder_(folder), signals_(signals), jobs_(jobs) {}

  // Tries every plan once, then again, up to `tries` times, until one fails; which one. Empty: none
  // did, or the deadline passed, or a signal came.
  Result<std::optional<std::size_t>> FirstFailing(const std::vector<Plan>& plans, int tries,
                                                  Deadline deadline) {
    WP_ASSIGN_OR_RETURN(const Tried tried, Try(plans, tries, [&deadline](const Tried& so_far) {
                          return !so_far.failed.empty() || deadline.expired();
                        }));
    if (tried.failed.empty()) return std::optional<std::size_t>();
    return std::optional<std::size_t>(tried.failed.front());
  }
  Result<AttemptCount> Count(const Plan& plan, int attempts) {
    WP_ASSIGN_OR_RETURN(const Tried tried,
                        Try({plan}, attempts, [](const Tried&) { return false; }));
    return AttemptCount{.failed = static_cast<int>(tried.failed.size()), .tried = tried.ended};
  }

  bool interrupted() const { return signals_.count() > 0; }
  int attempts() const { return attempts_; }

 private:
  struct Tried {
    std::vector<std::size_t> failed;  // plans
    int ended = 0;                    // attempts
  };

  // Tries every plan that often, or until it is enough.
  Result<Tried> Try(const std::vector<Plan>& plans, int tries,
                    const std::function<bool(const Tried&)>& enough) {
    Tried tried;
    const std::size_t total = plans.size() * static_cast<std::size_t>(tries);
    std::size_t started = 0;
    while (!interrupted() && !enough(tried) && (started < total || !running_.empty())) {
      if (started == total || running_.size() == static_cast<std::size_t>(jobs_)) {
        Collect(tried);
        continue;
      }
      const std::size_t plan = started++ % plans.size();
      if (Status begun = Start(plans[plan], plan); !begun.ok()) {
        StopAll();
        return begun;
      }
    }
    StopAll();
    return tried;
  }

  Status Start(const Plan& plan, std::size_t index) {
    AttemptSpec spec = found_.spec;
    spec.attempt = ++attempts_;
    WP_ASSIGN_OR_RETURN(const AttemptFolder folder,
                        folder_.MakeAttempt(found_.target, spec.case_name, spec.attempt));
    spec.folder = folder.absolute.string();
    spec.given_plan = (folder.absolute / "plan.jsonl").string();
    PlanHeader header = found_.header();
    header.attempt = spec.attempt;
    WP_RETURN_IF_ERROR(WritePlan(spec.given_plan, plan, header));
    plan_of_[spec.attempt] = index;
    WP_ASSIGN_OR_RETURN(
        auto process,
        CaseProcess::Start({.executable = OwnExecutable(), .spec = spec, .folder = folder}));
    running_.push_back(std::move(process));
    return {};
  }

  // Waits a while, and adds what has ended.
  void Collect(Tried& tried) {
    AwaitSome(running_, signals_);
    for (const std::unique_ptr<CaseProcess>& process : TakeEnded(running_)) {
      const auto result = process->Conclude();
      if (result && Shows(*result)) tried.failed.push_back(plan_of_[process->spec().attempt]);
      folder_.FinishAttempt(process->folder().absolute, KeepFiles::kNone);
      ++tried.ended;
    }
  }
  bool Shows(const AttemptResult& result) const {
    return result.verdict == Verdict::kFail &&
           Contains(result.findings, found_.guarantee, &FindingRecord::guarantee);
  }

  // By signal first, so that each case stops its target.
  void StopAll() {
    for (const auto& process : running_) process->Interrupt(SIGTERM);
    Tried ignored;
    while (!running_.empty()) Collect(ignored);
  }

  const Found& found_;
  RunFolder& folder_;
  Signals& signals_;
  const int jobs_;
  std::vector<std::unique_ptr<CaseProcess>> running_;
  std::map<int, std::size_t> plan_of_;  // by attempt
  int attempts_ = 0;
};

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

CommandEnd ShrinkCommand(const ShrinkFlags& flags) {
  WP_ASSIGN_OR_RETURN(const Options options, Resolve(flags));
  WP_ASSIGN_OR_RETURN(const Found found,
                      fs::is_directory(flags.run) ? FindInRun(flags) : FindInPlan(flags));
  const fs::path run = FolderOf(flags.run);
  const PlanHeader header = found.header();
  Signals& signals = Signals::Install();
  WP_ASSIGN_OR_RETURN(RunFolder folder, RunFolder::Create(run / "shrink", header.seed, UtcNow()));
  PlanAttempts tries(found, folder, signals, options.jobs);
  fmt::print("{} on {}, seed {}: {}, broken: {}\n", header.case_name, header.target, header.seed,
             Outline(found.plan), found.guarantee);
  const TimePoint began = Clock::now();
  const fs::path file = flags.out.empty() ? run / NameOfShrunk(flags.run) : fs::path(flags.out);
  WP_RETURN_IF_ERROR(WritePlan(file, found.plan, found.header()));
  const Result<Plan> plan = Search(options, found, file, tries);
  const int attempts = tries.attempts();
  const double seconds = std::chrono::duration<double>(Clock::now() - began).count();
  Result<AttemptCount> count = plan.has_value() ? tries.Count(*plan, kMeasured) : AttemptCount{};
  std::error_code ignored;
  fs::remove_all(run / "shrink", ignored);
  if (!plan.has_value()) return {plan.error(), ExitCode::kInternal};
  if (!count.has_value()) return {count.error(), ExitCode::kInternal};
  const ExitCode code = Report(*plan, *count, attempts, seconds, file);
  return signals.exit_code().value_or(code);
}

}  // namespace

CommandBody AddShrink(const Command& command) {
  const auto flags = std::make_shared<ShrinkFlags>();
  command.Word("run", flags->run, "Folder of a run with a failed attempt, or a kept script")
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
