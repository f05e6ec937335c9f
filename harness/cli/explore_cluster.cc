// SPDX-License-Identifier: Apache-2.0
// `explore --target` on a cluster: scripts side by side, and then drawn plans, each on a fresh one,
// with faults that end processes. What is found is cut out, made smaller and repeated.
#include <algorithm>
#include <ctime>
#include <thread>

#include "harness/base/escape.h"
#include "harness/cli/explore_options.h"
#include "harness/decide/cluster_exploration.h"
#include "harness/decide/found_script.h"
#include "harness/decide/shrink.h"
#include "harness/results/attempt_spec.h"
#include "harness/runs/console.h"
#include "harness/runs/plan_attempts.h"
#include "harness/runs/run_folder.h"
#include "harness/runs/signals.h"
#include "harness/scenario/steps/explored.h"

namespace watchproof {
namespace {

namespace fs = std::filesystem;

// Plans at a time, for each core: most of the time of one is spent waiting.
constexpr int kJobsOfCore = 3;
constexpr int kTries = 3;  // of a smaller plan
constexpr Duration kTimeToShrink = 5min;
constexpr std::size_t kShownBeside = 3;

int Jobs() {
  return kJobsOfCore * static_cast<int>(std::max(1U, std::thread::hardware_concurrency()));
}

// The end of two parts of which one is enough to have proven something.
CommandEnd Worse(const CommandEnd& one, const CommandEnd& other) {
  for (const ExitCode code : {ExitCode::kFailed, ExitCode::kTarget, ExitCode::kOk}) {
    if (one.code == code) return one;
    if (other.code == code) return other;
  }
  return other;
}

class ClusterCommand {
 public:
  ClusterCommand(const ExploreOptions& options, RunFolder& folder, int reported)
      : options_(options), folder_(folder), number_(reported) {}

  CommandEnd Explore() {
    const auto most = static_cast<std::uint64_t>(options_.plans.value_or(0));
    const TimePoint until = most > 0 ? TimePoint::max() : began_ + options_.budget;
    const Status ran = exploration_.Explore(until, most > 0 ? most : UINT64_MAX, [this] {
      console_.Progress(Line());
      return !options_.fail_fast || exploration_.buckets().empty();
    });
    console_.Result(fmt::format("{}: {}\n", Target(), Line()));
    console_.Result(fmt::format("situations {} of {} pairs of events met\n",
                                exploration_.pairs().size(), exploration_.drawn_pairs().size()));
    if (!options_.missing.empty()) WP_RETURN_IF_ERROR(WriteMissing());
    for (const auto& [bug, met] : exploration_.known()) {
      console_.Result(fmt::format("known      {}, {} {}, first after {:.0f} s\n", bug, met.times,
                                  met.times == 1 ? "plan" : "plans", Seconds(met.after)));
    }
    for (const BucketGroup& group : GroupsOf(exploration_.buckets())) {
      WP_RETURN_IF_ERROR(Report(*group.first, ++number_));
      for (const ClusterBucket* const other : group.others) SayOther(*other);
    }
    SayReasons();
    if (!ran.ok()) return {ran, ExitCode::kInternal};
    return End();
  }

 private:
  static double Seconds(Duration time) { return std::chrono::duration<double>(time).count(); }
  std::string Target() const { return options_.target->Label(exploration_.version()); }

  std::string Line() const {
    const double seconds = std::max(1e-3, Seconds(Clock::now() - began_));
    const ClusterExploration::Counts& counts = exploration_.counts();
    return fmt::format(
        "{} plans on clusters of {} in {:.1f} s, {} events, {} calls judged, {:.0f}/s, {}",
        counts.plans, options_.target->members, seconds, counts.events, counts.calls,
        static_cast<double>(counts.calls) / seconds,
        exploration_.buckets().size() == 1
            ? "1 bucket"
            : fmt::format("{} buckets", exploration_.buckets().size()));
  }

  Status WriteMissing() {
    std::string text;
    for (const std::string& pair : exploration_.drawn_pairs()) {
      if (!exploration_.pairs().contains(pair)) text += pair + "\n";
    }
    return WriteText(options_.missing, text);
  }

  void SayReasons() {
    const ClusterExploration::Counts& counts = exploration_.counts();
    if (counts.in_part + counts.undecided == 0) return;
    console_.Result(fmt::format(
        "{} of {} plans were judged in part, as not every event took effect or not every fact "
        "came; {} not at all\n",
        counts.in_part, counts.plans, counts.undecided));
    ListReasons(exploration_.reasons(), console_);
  }

  CommandEnd End() {
    const ClusterExploration::Counts& counts = exploration_.counts();
    if (const auto code = signals_.exit_code()) return *code;
    if (!exploration_.buckets().empty()) return ExitCode::kFailed;
    if (counts.plans > 0 && counts.never_served == counts.plans) return ExitCode::kTarget;
    // Without a plan of which something took effect nothing is proven.
    return counts.judged > 0 || !exploration_.known().empty() ? ExitCode::kOk
                                                              : ExitCode::kInconclusive;
  }

  // One that has a finding in common with the one before, which was met earlier.
  void SayOther(const ClusterBucket& bucket) {
    console_.Result(
        fmt::format("  may be the same: {}, {} {}, first after {:.0f} s\n    {}\n    {}\n",
                    bucket.finding.guarantee, bucket.times, bucket.times == 1 ? "plan" : "plans",
                    Seconds(bucket.after), Escaped(bucket.finding.observed),
                    (folder_.path() / bucket.folder).string()));
  }

  Status Report(const ClusterBucket& bucket, int number) {
    const FindingRecord& finding = bucket.finding;
    std::string text = fmt::format(
        "\n{}. {}, {} {}, first in plan {}, after {:.0f} s\n  expected   {}\n  observed   {}\n"
        "  watch      {}\n  meanwhile  {}\n",
        number, finding.guarantee, bucket.times, bucket.times == 1 ? "plan" : "plans", bucket.first,
        Seconds(bucket.after), Escaped(finding.expected), Escaped(finding.observed),
        Escaped(finding.watch), finding.meanwhile.empty() ? "no fault" : finding.meanwhile);
    std::size_t shown = 0;
    for (const std::string& then : bucket.then) {
      if (shown++ == kShownBeside) break;
      text += fmt::format("  beside     {}\n", Escaped(then));
    }
    if (!finding.signature.empty()) text += fmt::format("  looks like {}\n", finding.signature);
    console_.Result(text +
                    fmt::format("  attempt    {}\n", (folder_.path() / bucket.folder).string()));
    return signals_.count() > 0 || options_.keep.empty() ? Status() : Keep(bucket, number);
  }

  // As long as it takes, within a limit: the smallest plan that shows it, and how often.
  Status Keep(const ClusterBucket& bucket, int number) {
    const FindingRecord& finding = bucket.finding;
    FailedPlan failed{.target = *options_.target,
                      .plan = bucket.plan,
                      .guarantee = finding.guarantee,
                      .resembles = finding.resembles};
    const auto file_of = [&](const Plan& plan) {
      return PlanOfFound(plan, finding.guarantee, finding.resembles, options_.target->text,
                         bucket.seed);
    };
    failed.spec = {.case_name = file_of(bucket.plan).header.case_name,
                   .target = options_.target->text,
                   .seed = bucket.seed};
    const fs::path file = options_.keep / fmt::format("{}-{}.jsonl", finding.guarantee, number);
    const auto keep = [&](const Plan& plan) { return WriteText(file, ToText(file_of(plan))); };
    WP_RETURN_IF_ERROR(keep(bucket.plan));
    PlanProcesses attempts(failed, folder_, signals_, Jobs());
    WP_ASSIGN_OR_RETURN(
        const ShrunkPlan shrunk,
        Shrink(attempts, bucket.plan, {.tries = kTries, .limit = kTimeToShrink, .keep = keep}));
    std::string text = "  steps\n";
    for (const std::string& line : StepLines(shrunk.plan)) text += fmt::format("    {}\n", line);
    text += fmt::format(
        "  repeats    {} of {} times, alone{}\n  repeat     watchproof run --plan "
        "{}\n",
        shrunk.measured.hits, shrunk.measured.trials,
        shrunk.complete ? "" : "; not every smaller plan was tried", file.string());
    console_.Result(text);
    return {};
  }

  const ExploreOptions& options_;
  Console console_{{}};
  RunFolder& folder_;
  int number_;  // of the latest finding
  Signals& signals_ = Signals::Install();
  const TimePoint began_ = Clock::now();
  ClusterExploration exploration_{
      {.target = *options_.target,
       .seed = options_.seed,
       .jobs = Jobs(),
       .draw = {.members = options_.target->members, .releases = options_.target->next},
       .folder = folder_,
       .signals = signals_}};
};

}  // namespace

CommandEnd ExploreCluster(const ExploreOptions& options) {
  WP_ASSIGN_OR_RETURN(RunFolder folder, RunFolder::Create(options.run_dir, FormatSeed(options.seed),
                                                          std::time(nullptr)));
  ExploreOptions part = options;
  const bool both = options.scripts.has_value() == options.plans.has_value();
  if (both) part.budget = options.budget / 2;
  int reported = 0;
  CommandEnd end = ExitCode::kInconclusive;
  if (both || options.scripts) {
    part.missing.clear();
    end = ExploreScripts(part, folder, reported);
    if (Signals::Install().count() > 0 || (options.fail_fast && reported > 0)) return end;
    part.missing = options.missing;
  } else {
    Console console{{}};
    SaySeed(options, console);
  }
  if (!both && options.scripts) return end;
  return Worse(end, ClusterCommand(part, folder, reported).Explore());
}

}  // namespace watchproof
