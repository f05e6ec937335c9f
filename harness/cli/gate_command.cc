// SPDX-License-Identifier: Apache-2.0
// `gate`: whether one build is worse than another, within a time budget.
#include <signal.h>

#include <algorithm>
#include <map>
#include <set>

#include "harness/base/escape.h"
#include "harness/bugs/answer_key.h"
#include "harness/checkers/guarantee.h"
#include "harness/cli/commands.h"
#include "harness/cli/finding_picture.h"
#include "harness/cli/gate_exploration.h"
#include "harness/cli/passed_on.h"
#include "harness/report/gate_report.h"
#include "harness/report/known_shift.h"
#include "harness/report/rows.h"
#include "harness/report/text.h"
#include "harness/runs/run.h"

namespace watchproof {
namespace {

namespace fs = std::filesystem;

struct GateFlags {
  std::string base;
  std::string head;
  std::string budget = "15m";
  bool no_explore = false;
  bool dry_run = false;
  bool json = false;
};

// For a target that never starts.
constexpr int kStartsInVain = 8;
// Below this an exploration is not worth its servers.
constexpr Duration kLeastExploration = 20s;

bool FailsByLuck(const std::string& case_name) {
  const auto& bugs = AnswerKey::BuiltIn().bugs();
  return std::ranges::any_of(bugs, [&](const Bug& bug) {
    return std::ranges::any_of(bug.shown, [&](const ShownBy& shown) {
      return shown.case_name == case_name && !shown.rate.empty();
    });
  });
}

GateTrial TrialOf(const std::vector<CaseInfo>& infos) {
  std::vector<GateCase> cases;
  for (const CaseInfo& info : infos) cases.push_back({info.name, FailsByLuck(info.name)});
  std::set<std::string> guarantees;
  for (const Guarantee guarantee : AllGuarantees()) guarantees.emplace(Name(guarantee));
  return GateTrial(cases, guarantees);
}

AttemptEnd EndOf(const AttemptResult& result) {
  AttemptEnd end{.conclusive = IsConclusive(result.verdict),
                 .reason = fmt::format("{}: {}", Name(result.verdict), result.reason)};
  for (const FindingRecord& finding : result.findings) {
    end.broken[finding.guarantee].insert(finding.resembles);
  }
  if (result.verdict == Verdict::kFail && end.broken.empty()) end.broken["Available"].insert("");
  return end;
}

class Gate {
 public:
  Gate(Run run, const GateFlags& flags, Duration budget)
      : run_(std::move(run)),
        flags_(flags),
        trial_(TrialOf(run_.cases())),
        order_(Prng(run_.seed()).Fork("gate/order")),
        budget_(budget) {
    for (std::size_t i = 0; i < run_.cases().size(); ++i) index_[run_.cases()[i].name] = i;
    pairs_.resize(run_.cases().size(), 0);
  }

  CommandEnd Decide() {
    began_ = Clock::now();
    if (const auto refused = run_.Begin()) return *refused;
    if (run_.record().named_not_fetched) return ExitCode::kTarget;
    run_.RunAttempts([this] { return Next(); });
    TakeIn();
    if (!Stopped() && trial_.state() != GateState::kWorse && NeverStarted().empty()) Explore();
    return Conclude();
  }

  void PrintPlan() const {
    constexpr double kSecondsPerAttempt = 2;
    fmt::print(
        "{} on {} and {}, in pairs with the same plan, for at most {}\n"
        "power, if an attempt takes {:.0f} s: of a case that always passes on the base\n{}",
        Count(run_.cases().size(), "case"), Escaped(flags_.base), Escaped(flags_.head),
        flags_.budget, kSecondsPerAttempt, PowerText(PowerHere(kSecondsPerAttempt), "  "));
  }

 private:
  struct Halves {
    std::optional<AttemptEnd> base;
    std::optional<AttemptEnd> head;
  };

  const TargetSpec& base() const { return run_.targets().front(); }
  const TargetSpec& head() const { return run_.targets().back(); }
  TimePoint end() const { return began_ + budget_; }
  bool Stopped() const { return !run_.record().interrupted.empty() || run_.broken(); }
  bool CanExplore() const { return !flags_.no_explore && !base().server && !head().server; }
  // Of one target that is both, the attempts of a pair have neighbouring numbers.
  bool same() const { return run_.targets().size() == 1; }
  bool IsHead(const AttemptResult& result) const {
    return same() ? result.attempt % 2 == 0 : result.target == head().text;
  }
  int PairOf(const AttemptResult& result) const {
    return same() ? (result.attempt + 1) / 2 : result.attempt;
  }

  // What has ended since the last time.
  void TakeIn() {
    const auto& attempts = run_.record().attempts;
    for (; taken_ < attempts.size(); ++taken_) {
      const AttemptResult& result = attempts[taken_].result;
      const std::size_t index = index_.at(result.case_name);
      const std::pair key(index, PairOf(result));
      Halves& halves = open_[key];
      (IsHead(result) ? halves.head : halves.base) = EndOf(result);
      if (!halves.base || !halves.head) continue;
      trial_.Add(index, *halves.base, *halves.head);
      open_.erase(key);
    }
  }

  // The reason why a target has not served a single attempt; empty: it has, or there were few.
  std::string NeverStarted() const {
    for (const bool of_head : {false, true}) {
      int tried = 0;
      int failed = 0;
      std::string reason;
      for (const AttemptSummary& one : run_.record().attempts) {
        if (IsHead(one.result) != of_head) continue;
        ++tried;
        failed += one.result.target_failed ? 1 : 0;
        if (one.result.target_failed) reason = one.result.reason;
      }
      if (tried >= kStartsInVain && failed == tried) {
        return fmt::format("{} never started: {}", of_head ? flags_.head : flags_.base, reason);
      }
    }
    return {};
  }

  std::vector<PlannedAttempt> Next() {
    TakeIn();
    const TimePoint now = Clock::now();
    const GateState state = trial_.state();
    if (now >= end() || state == GateState::kWorse || !NeverStarted().empty()) return {};
    if (state != GateState::kOpen && !deeper_until_) {
      const double share = CanExplore() ? kShareOfDeeper : 1;
      deeper_until_ = now + std::chrono::duration_cast<Duration>((end() - now) * share);
    }
    const bool deeper = deeper_until_ && now < *deeper_until_;
    if (state != GateState::kOpen && !deeper) return {};
    std::vector<PlannedAttempt> attempts;
    const auto most = static_cast<std::size_t>(run_.jobs());
    for (const NextPair& pair :
         trial_.Next(most, deeper ? GateTrial::Depth::kDeeper : GateTrial::Depth::kEnough)) {
      AddPair(pair.index, attempts);
    }
    return attempts;
  }

  // Which of the two starts first is drawn, so that the order favours neither.
  void AddPair(std::size_t index, std::vector<PlannedAttempt>& attempts) {
    const int pair = ++pairs_[index];
    const std::uint64_t seed = SeedOfAttempt(run_.seed(), pair);
    const std::string& name = run_.cases()[index].name;
    PlannedAttempt first{name, &base(), same() ? 2 * pair - 1 : pair, seed};
    PlannedAttempt second{name, &head(), same() ? 2 * pair : pair, seed};
    if (order_.Chance(0.5)) std::swap(first, second);
    attempts.push_back(std::move(first));
    attempts.push_back(std::move(second));
  }

  void Explore() {
    if (!CanExplore() || trial_.state() == GateState::kOpen) return;
    if (end() - Clock::now() < kLeastExploration) return;
    Console console({});
    Signals& signals = Signals::Install();
    GateExploration exploration(
        {.base = base(),
         .head = head(),
         .seed = run_.seed(),
         .until = end(),
         .folder = run_.folder(),
         .interrupted = [&signals] { return signals.count() > 0; },
         .progress = [&console](const std::string& line) { console.Progress(line); }});
    const TimePoint began = Clock::now();
    const Status ran = exploration.Run(trial_);
    explored_ = fmt::format(
        "{} on the head in {}, with the base as control: {} on both, {} on the head alone",
        Count(exploration.scripts(), "script"),
        FormatSeconds(std::chrono::duration<double>(Clock::now() - began).count()),
        Count(static_cast<std::size_t>(exploration.shared()), "kind") + " of findings",
        exploration.found().size());
    if (exploration.not_alone() > 0) {
      explored_ += fmt::format(", {} that did not show again", exploration.not_alone());
    }
    if (!ran.ok()) explored_ += "; ended early: " + ran.message();
    scripts_ = exploration.found();
    unexamined_ = exploration.unexamined();
  }

  // What it takes to decide.
  std::vector<std::string> Missing() const {
    std::vector<std::string> missing;
    std::vector<const CaseState*> too_few;
    for (const CaseState& one : trial_.cases()) {
      if (one.lost()) {
        missing.push_back(
            fmt::format("{}: decided on the base, and in none of {} on the head: {}", one.info.name,
                        Count(static_cast<std::size_t>(one.tried), "attempt"), one.head_reason));
      } else if (!one.finished() && one.base_other + one.head_other == 0) {
        too_few.push_back(&one);
      } else if (!one.finished()) {
        missing.push_back(fmt::format(
            "{}: failed in {} of {} on the head, {} on the base; a drop by {:.0f} % is not "
            "excluded, {:.0f} % has to be",
            one.info.name, one.head_other, one.other_pairs.count(), one.base_other,
            100 * HighestDrop(one.other_pairs), 100 * one.limit()));
      }
    }
    if (!too_few.empty()) {
      missing.push_back(fmt::format("more pairs of {}, such as {} with {}",
                                    Count(too_few.size(), "case"), too_few.front()->info.name,
                                    too_few.front()->pairs.count()));
    }
    for (const GateScript& script : scripts_) {
      const double evidence = Evidence(script.pairs);
      if (evidence < 1 || script.pairs.against == 0) continue;
      missing.push_back(fmt::format("script {} of the exploration: {} of {} pairs against the head",
                                    script.number, script.pairs.against, script.pairs.count()));
    }
    if (unexamined_ > 0) {
      missing.push_back(fmt::format("{} of the exploration on the head alone, not yet compared",
                                    Count(static_cast<std::size_t>(unexamined_), "finding")));
    }
    return missing;
  }

  // Cases that the head failed more often; or, if it only broke something else in them, those that
  // it failed.
  std::vector<GateFailure> Failures() {
    const auto& cases = trial_.cases();
    const bool worse = trial_.state() == GateState::kWorse;
    const auto more_often = [worse](const CaseState& one) {
      return worse ? one.pairs.against > one.pairs.in_favour : one.suspect();
    };
    const bool any = std::ranges::any_of(cases, more_often);
    std::vector<GateFailure> failures;
    std::set<std::size_t> seen;
    for (const AttemptSummary& one : run_.record().attempts) {
      if (one.result.verdict != Verdict::kFail || !IsHead(one.result)) continue;
      const std::size_t index = index_.at(one.result.case_name);
      const bool shown = any ? more_often(cases[index]) : worse;
      if (!shown || !seen.insert(index).second) continue;
      failures.push_back({.index = index, .attempt = &one, .picture = {}});
    }
    std::ranges::stable_sort(failures, [&cases](const auto& a, const auto& b) {
      return cases[a.index].evidence > cases[b.index].evidence;
    });
    if (!failures.empty()) DrawFirst(failures.front());
    return failures;
  }

  // Cases that the base failed and the head never, and known findings of which there are many more.
  std::vector<std::string> Gone() const {
    std::vector<std::string> gone;
    for (const CaseState& one : trial_.cases()) {
      if (one.base_failed > 0 && one.head_failed == 0) gone.push_back(one.info.name);
    }
    return gone;
  }
  std::vector<std::string> ManyMoreKnown() const {
    KnownCounts of_base;
    KnownCounts of_head;
    for (const AttemptSummary& one : run_.record().attempts) {
      (IsHead(one.result) ? of_head : of_base).Add(one.result);
    }
    return ManyMore(of_base, of_head);
  }

  void DrawFirst(GateFailure& failure) {
    const AttemptResult& result = failure.attempt->result;
    if (result.findings.empty()) return;
    const auto svg = DrawFinding(
        {run_.folder().path() / result.folder / "history.wire.zst", result.findings.front()},
        **PictureFormOf("worse.svg"));
    if (!svg.has_value() || !run_.folder().Write("worse.svg", *svg).ok()) return;
    failure.picture = (fs::path(run_.folder().shown()) / "worse.svg").string();
  }

  double SecondsPerAttempt() const {
    double seconds = 0;
    const auto& attempts = run_.record().attempts;
    for (const AttemptSummary& one : attempts) seconds += one.result.seconds;
    return attempts.empty() ? 1 : seconds / static_cast<double>(attempts.size());
  }

  std::vector<Power> PowerHere(double seconds_per_attempt) const {
    return PowerOf(
        run_.cases().size(), seconds_per_attempt,
        {.seconds = std::chrono::duration<double>(budget_).count(), .at_a_time = run_.jobs()});
  }

  CommandEnd Conclude() {
    const std::string never = NeverStarted();
    if (const auto early = EndRun(run_)) return *early;
    if (!never.empty()) return {ExitCode::kTarget, never};
    const std::vector<std::string> labels = RowsOf(run_.record()).labels;
    GateOutcome outcome{.base = labels.front(),
                        .head = labels.back(),
                        .seconds = std::chrono::duration<double>(Clock::now() - began_).count(),
                        .trial = trial_,
                        .record = run_.record(),
                        .failures = Failures(),
                        .missing = Missing(),
                        .explored = explored_,
                        .gone = Gone(),
                        .many_more = ManyMoreKnown(),
                        .scripts = scripts_,
                        .power = {}};
    if (trial_.state() == GateState::kWorse) {
      outcome.verdict = GateVerdict::kWorse;
    } else {
      outcome.power = PowerHere(SecondsPerAttempt());
      if (outcome.missing.empty()) outcome.verdict = GateVerdict::kNotWorse;
    }
    constexpr ExitCode kCodes[] = {ExitCode::kOk, ExitCode::kFailed, ExitCode::kInconclusive};
    return Publish(run_, "gate.json", ToJson(outcome), flags_.json ? "" : ToText(outcome),
                   kCodes[static_cast<std::size_t>(outcome.verdict)]);
  }

  Run run_;
  const GateFlags flags_;
  GateTrial trial_;
  Prng order_;
  const Duration budget_;
  TimePoint began_;
  std::optional<TimePoint> deeper_until_;
  std::map<std::string, std::size_t> index_;
  std::vector<int> pairs_;  // that were planned, by case
  std::size_t taken_ = 0;
  std::map<std::pair<std::size_t, int>, Halves> open_;
  std::string explored_;
  std::vector<GateScript> scripts_;
  int unexamined_ = 0;
};

CommandEnd GateCommand(const GateFlags& flags, const PassedOn& passed) {
  const Result<Duration> budget = ParseDuration(flags.budget);
  if (!budget.has_value() || *budget <= Duration::zero()) {
    return Fail(StatusCode::kInvalidArgument, "--budget: '{}'; expected a time such as 15m",
                flags.budget);
  }
  std::vector<std::string> targets{flags.base};
  if (flags.head != flags.base) targets.push_back(flags.head);
  WP_ASSIGN_OR_RETURN(Run run, passed.Prepare({.targets = targets}));
  Gate gate(std::move(run), flags, *budget);
  if (!flags.dry_run) return gate.Decide();
  gate.PrintPlan();
  return ExitCode::kOk;
}

}  // namespace

CommandBody AddGate(const Command& command) {
  const auto flags = std::make_shared<GateFlags>();
  command.Value("--base", flags->base, "SPEC", "The build to compare with, as a target of `run`")
      ->required();
  command.Value("--head", flags->head, "SPEC", "The build that may be worse")->required();
  command.Value("--budget", flags->budget, "TIME", "Time for the whole gate");
  command.Switch("--no-explore", flags->no_explore, "Cases only");
  command.Switch("--dry-run", flags->dry_run, "Print what a gate of this size finds, and exit");
  command.Switch("--json", flags->json, "As JSON; gate.json in the run folder has it anyway");
  const auto passed =
      PassedOn::Add(command, {"--profile", "--filter", "--exclude", "--seed", "--jobs",
                              "--case-timeout", "--target-profile", "--run-dir"});
  return [flags, passed] { return GateCommand(*flags, *passed); };
}

}  // namespace watchproof
