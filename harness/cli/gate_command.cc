// SPDX-License-Identifier: Apache-2.0
// `gate`: whether one build is worse than another, within a time budget.
#include "harness/base/escape.h"
#include "harness/cli/commands.h"
#include "harness/cli/finding_picture.h"
#include "harness/cli/passed_on.h"
#include "harness/decide/gate.h"
#include "harness/decide/gate_exploration.h"
#include "harness/decide/measure_gate.h"
#include "harness/report/text.h"
#include "harness/runs/console.h"
#include "harness/runs/parse.h"
#include "harness/runs/signals.h"

namespace watchproof {
namespace {

namespace fs = std::filesystem;

struct GateFlags {
  std::string base;
  std::string head;
  std::string budget;  // empty: see the flag
  std::string measure;
  bool no_explore = false;
  bool dry_run = false;
  bool json = false;
  bool verbose = false;
};

void PrintPlan(const GateFlags& flags, const Run& run, const Gate& gate) {
  constexpr double kSecondsPerAttempt = 2;
  fmt::print(
      "{} on {} and {}, in pairs with the same plan, for at most {}\n"
      "power, if an attempt takes {:.0f} s: of a case that always passes on the base\n{}",
      Count(run.cases().size(), "case"), Escaped(flags.base), Escaped(flags.head), flags.budget,
      kSecondsPerAttempt, PowerText(gate.PowerIf(kSecondsPerAttempt), "  "));
}

// What goes on from one turn to the next.
class Exploring {
 public:
  explicit Exploring(watchproof::Run& run)
      : scripts_({.base = run.targets().front(),
                  .head = run.targets().back(),
                  .seed = run.seed(),
                  .folder = run.folder(),
                  .interrupted = [] { return Signals::Install().count() > 0; },
                  .progress = [this](const std::string& line) { console_->Progress(line); }}) {}

  GateExplored Run(GateTrial& trial, TimePoint until) {
    console_.emplace(ConsoleOptions());
    GateExplored explored = scripts_.Run(trial, until);
    console_.reset();  // erases its line
    return explored;
  }

 private:
  std::optional<Console> console_;
  GateExploration scripts_;
};

// Beside the reports; the path as people should type it, or nothing.
std::string DrawWorse(Run& run, const AttemptResult& result) {
  if (result.findings.empty()) return {};
  const auto svg = DrawFinding({.file = run.folder().path() / result.folder / "history.wire.zst",
                                .findings = {result.findings.front()}},
                               **PictureFormOf("worse.svg"));
  if (!svg.has_value() || !run.folder().Write("worse.svg", *svg).ok()) return {};
  return (fs::path(run.folder().shown()) / "worse.svg").string();
}

constexpr ExitCode kCodes[] = {ExitCode::kOk, ExitCode::kFailed, ExitCode::kInconclusive};

CommandEnd MeasureCommand(const GateFlags& flags, Run& run, const MeasureGateOptions& options) {
  MeasureGate gate(run, options);
  if (const auto refused = run.Begin()) return *refused;
  if (run.record().named_not_fetched) return ExitCode::kTarget;
  gate.Decide();
  const std::string never = gate.NeverStarted();
  if (const auto early = EndRun(run)) return *early;
  if (!never.empty()) return {ExitCode::kTarget, never};
  const MeasureOutcome outcome = gate.Outcome();
  return Publish(run, "gate.json", ToJson(outcome), flags.json ? "" : ToText(outcome),
                 kCodes[static_cast<std::size_t>(outcome.verdict)]);
}

CommandEnd GateCommand(GateFlags flags, const PassedOn& passed) {
  if (flags.budget.empty()) flags.budget = flags.measure.empty() ? "15m" : "20m";
  const Result<Duration> budget = ParseDuration(flags.budget);
  if (!budget.has_value() || *budget <= Duration::zero()) {
    return Fail(StatusCode::kInvalidArgument, "--budget: '{}'; expected a time such as 15m",
                flags.budget);
  }
  std::vector<std::string> targets{flags.base};
  if (flags.head != flags.base) targets.push_back(flags.head);
  if (!flags.measure.empty()) {
    WP_ASSIGN_OR_RETURN(const std::set<Measure> measures, ParseMeasures(flags.measure));
    WP_ASSIGN_OR_RETURN(Run run,
                        passed.Prepare({.targets = targets, .defaults = {{"--profile", "costs"}}}));
    return MeasureCommand(
        flags, run,
        {.base = flags.base, .head = flags.head, .budget = *budget, .measures = measures});
  }
  WP_ASSIGN_OR_RETURN(Run run, passed.Prepare({.targets = targets}));
  GateOptions options{.base = flags.base, .head = flags.head, .budget = *budget};
  options.draw = [&run](const AttemptResult& result) { return DrawWorse(run, result); };
  if (!flags.no_explore) {
    options.explore = [&run, exploring = std::shared_ptr<Exploring>()](GateTrial& trial,
                                                                       TimePoint until) mutable {
      if (exploring == nullptr) exploring = std::make_shared<Exploring>(run);
      return exploring->Run(trial, until);
    };
  }
  Gate gate(run, std::move(options));
  if (flags.dry_run) {
    PrintPlan(flags, run, gate);
    return ExitCode::kOk;
  }
  if (const auto refused = run.Begin()) return *refused;
  if (run.record().named_not_fetched) return ExitCode::kTarget;
  gate.Decide();
  const std::string never = gate.NeverStarted();
  if (const auto early = EndRun(run)) return *early;
  if (!never.empty()) return {ExitCode::kTarget, never};
  const GateOutcome outcome = gate.Outcome();
  return Publish(run, "gate.json", ToJson(outcome),
                 flags.json ? "" : ToText(outcome, flags.verbose),
                 kCodes[static_cast<std::size_t>(outcome.verdict)]);
}

}  // namespace

CommandBody AddGate(const Command& command) {
  const auto flags = std::make_shared<GateFlags>();
  command.Group("Decision");
  command.Value("--base", flags->base, "SPEC", "The build to compare with, as a target of `run`")
      ->required();
  command.Value("--head", flags->head, "SPEC", "The build that may be worse")->required();
  command.Value("--budget", flags->budget, "TIME",
                "Time for the whole gate (default: 15m, with --measure 20m)");
  command.Value("--measure", flags->measure, "MEASURES",
                "Compare memory, puts and delay (any of these, with commas) instead of verdicts");
  command.Switch("--no-explore", flags->no_explore, "Cases only");
  command.Switch("--dry-run", flags->dry_run, "Print what a gate of this size finds, and exit")
      ->excludes("--measure");
  command.Switch("--verbose", flags->verbose, "Also print how the decision was made");
  command.Switch("--json", flags->json, "As JSON; gate.json in the run folder has it anyway");
  const auto passed =
      PassedOn::Add(command, {"--target-profile", "--profile", "--filter", "--exclude", "--seed",
                              "--jobs", "--case-timeout", "--run-dir"});
  return [flags, passed] { return GateCommand(*flags, *passed); };
}

}  // namespace watchproof
