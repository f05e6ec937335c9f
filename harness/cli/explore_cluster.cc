// SPDX-License-Identifier: Apache-2.0
// `explore --target` on a cluster: scripts side by side, and then drawn plans, each on a fresh one,
// with faults that end processes. What is found is cut out, made smaller and repeated.
#include <algorithm>
#include <ctime>
#include <thread>

#include "harness/cli/explore_options.h"
#include "harness/cli/explore_output.h"
#include "harness/decide/cluster_exploration.h"
#include "harness/decide/found_script.h"
#include "harness/decide/shrink.h"
#include "harness/report/text.h"
#include "harness/results/attempt_spec.h"
#include "harness/runs/plan_attempts.h"
#include "harness/runs/run_folder.h"
#include "harness/runs/selection.h"
#include "harness/runs/signals.h"
#include "harness/scenario/steps/explored.h"

namespace watchproof {
namespace {

namespace fs = std::filesystem;

// Plans at a time, for each core: most of the time of one is spent waiting.
constexpr int kJobsOfCore = 3;
constexpr int kTries = 3;  // of a smaller plan
constexpr Duration kTimeToShrink = 5min;

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
  ClusterCommand(const ExploreOptions& options, RunFolder& folder, ExploreOutput& output)
      : options_(options), folder_(folder), output_(output) {}

  CommandEnd Explore() {
    const auto most = static_cast<std::uint64_t>(options_.plans.value_or(0));
    const TimePoint until = most > 0 ? TimePoint::max() : began_ + options_.budget;
    const Status ran = exploration_.Explore(until, most > 0 ? most : UINT64_MAX, [this] {
      output_.Progress(fmt::format("{}, {}", Line(), KindsText(exploration_.buckets().size())));
      return !options_.fail_fast || exploration_.buckets().empty();
    });
    output_.SetTarget(options_.target->Label(exploration_.version()));
    output_.Done(fmt::format("{}: {}\n", output_.target(), Line()));
    output_.Detail(fmt::format("{} calls judged, situations {} of {} pairs of events met\n",
                               exploration_.counts().calls, exploration_.pairs().size(),
                               exploration_.drawn_pairs().size()));
    if (!options_.missing.empty()) WP_RETURN_IF_ERROR(WriteMissing());
    for (const auto& [bug, met] : exploration_.known()) {
      output_.Known({.finding = met.finding, .known = bug, .times = met.times, .shown_by = "plan"});
    }
    WP_RETURN_IF_ERROR(ReportNews());
    SayReasons();
    if (!ran.ok()) return {ran, ExitCode::kInternal};
    return End();
  }

 private:
  std::string Line() const {
    const ClusterExploration::Counts& counts = exploration_.counts();
    return fmt::format("{} on clusters of {} in {:.0f} s, {} took effect",
                       Count(counts.plans, "plan"), options_.target->members,
                       std::chrono::duration<double>(Clock::now() - began_).count(),
                       Count(counts.events, "event"));
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
    output_.NotJudged(
        fmt::format("{} of {} plans were judged in part, as not every event took effect or not "
                    "every fact came; {} not at all",
                    counts.in_part, counts.plans, counts.undecided),
        exploration_.reasons());
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

  // The gravest first. Those that have a finding in common with one that was met earlier are named
  // with it: one cause may be behind them.
  Status ReportNews() {
    std::vector<std::pair<FoundFinding, const ClusterBucket*>> news;
    for (const BucketGroup& group : GroupsOf(exploration_.buckets())) {
      FoundFinding found{.finding = group.first->finding,
                         .times = group.first->times,
                         .shown_by = "plan",
                         .steps = StepTexts(group.first->plan),
                         .alone = Proportion()};
      Mention(group.first->then, found);
      for (const ClusterBucket* const other : group.others) {
        Mention({other->shape}, found);
        Mention(other->then, found);
      }
      news.emplace_back(std::move(found), group.first);
    }
    std::ranges::stable_sort(
        news, [](const auto& one, const auto& other) { return IsGraver(one.first, other.first); });
    for (auto& [found, bucket] : news) {
      WP_RETURN_IF_ERROR(Keep(*bucket, found));
      output_.New(std::move(found));
    }
    return {};
  }

  static void Mention(const std::set<std::string>& shapes, FoundFinding& found) {
    for (const std::string& shape : shapes) {
      const std::string guarantee = shape.substr(0, shape.find(':'));
      if (guarantee != found.finding.guarantee && !Contains(found.also, guarantee)) {
        found.also.push_back(guarantee);
      }
    }
  }

  // Its plan; with --keep the smallest that shows it, as long as it takes within a limit, and how
  // often.
  Status Keep(const ClusterBucket& bucket, FoundFinding& found) {
    const FindingRecord& finding = bucket.finding;
    const auto file_of = [&](const Plan& plan) {
      return PlanOfFound(plan, finding.guarantee, finding.resembles, options_.target->text,
                         bucket.seed);
    };
    const fs::path file = output_.NextFile(finding.guarantee);
    const auto keep = [&](const Plan& plan) { return WriteText(file, ToText(file_of(plan))); };
    WP_RETURN_IF_ERROR(keep(bucket.plan));
    found.script = file.string();
    found.repeat = JoinShell({"watchproof", "run", "--plan", file.string()});
    found.recording = (folder_.path() / bucket.folder / "history.wire.zst").string();
    found.smaller = JoinShell({"watchproof", "shrink", file.string()});
    if (signals_.count() > 0 || options_.keep.empty()) return {};
    FailedPlan failed{.target = *options_.target,
                      .plan = bucket.plan,
                      .guarantee = finding.guarantee,
                      .resembles = finding.resembles};
    failed.spec = {.case_name = file_of(bucket.plan).header.case_name,
                   .target = options_.target->text,
                   .seed = bucket.seed};
    PlanProcesses attempts(failed, folder_, signals_, Jobs());
    WP_ASSIGN_OR_RETURN(
        const ShrunkPlan shrunk,
        Shrink(attempts, bucket.plan, {.tries = kTries, .limit = kTimeToShrink, .keep = keep}));
    found.steps = StepTexts(shrunk.plan);
    found.alone = shrunk.measured;
    if (shrunk.complete) found.smaller.clear();
    return {};
  }

  const ExploreOptions& options_;
  RunFolder& folder_;
  ExploreOutput& output_;
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

// Scripts for half of the time and plans for the other, unless only one is asked for.
CommandEnd BothHalves(const ExploreOptions& options, RunFolder& folder, ExploreOutput& output) {
  ExploreOptions part = options;
  const bool both = options.scripts.has_value() == options.plans.has_value();
  if (both) part.budget = options.budget / 2;
  CommandEnd end = ExitCode::kInconclusive;
  if (both || options.scripts) {
    part.missing.clear();
    end = ExploreScripts(part, folder, output);
    if (Signals::Install().count() > 0 || (options.fail_fast && output.reported() > 0)) return end;
    part.missing = options.missing;
  }
  if (!both && options.scripts) return end;
  return Worse(end, ClusterCommand(part, folder, output).Explore());
}

}  // namespace

CommandEnd ExploreCluster(const ExploreOptions& options) {
  WP_ASSIGN_OR_RETURN(RunFolder folder, RunFolder::Create(options.run_dir, FormatSeed(options.seed),
                                                          std::time(nullptr)));
  ExploreOutput output(options);
  output.Begin(folder.shown());
  return output.End(BothHalves(options, folder, output));
}

}  // namespace watchproof
