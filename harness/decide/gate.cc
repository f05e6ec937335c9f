// SPDX-License-Identifier: Apache-2.0
#include "harness/decide/gate.h"

#include <algorithm>
#include <set>

#include "harness/bugs/answer_key.h"
#include "harness/checkers/guarantee.h"
#include "harness/report/known_shift.h"
#include "harness/report/rows.h"
#include "harness/report/text.h"
#include "harness/results/attempt_spec.h"

namespace watchproof {
namespace {

// For a target that never starts.
constexpr int kStartsInVain = 8;
// Below this an exploration is not worth its servers.
constexpr Duration kLeastExploration = 20s;
// So much of the budget is theirs before the first attempt: bugs that no case shows have no other
// chance where the attempts take all of it.
constexpr double kShareOfScripts = 0.2;

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

}  // namespace

std::string WhyNoneServed(const RunRecord& record, int least,
                          const std::function<bool(const AttemptResult&)>& counts) {
  int tried = 0;
  std::string reason;
  for (const AttemptSummary& one : record.attempts) {
    if (!counts(one.result)) continue;
    if (!one.result.target_failed) return {};
    ++tried;
    reason = one.result.reason;
  }
  return tried >= least ? reason : "";
}

Gate::Gate(Attempts& attempts, GateOptions options)
    : attempts_(attempts),
      options_(std::move(options)),
      trial_(TrialOf(attempts.cases())),
      order_(Prng(attempts.seed()).Fork("gate/order")),
      began_(options_.now()) {
  for (std::size_t i = 0; i < attempts_.cases().size(); ++i) index_[attempts_.cases()[i].name] = i;
  pairs_.resize(attempts_.cases().size(), 0);
}

Duration Gate::FirstTurn() const {
  const auto turn = std::chrono::duration_cast<Duration>(options_.budget * kShareOfScripts);
  return CanExplore() && turn >= kLeastExploration ? turn : Duration::zero();
}

void Gate::Decide() {
  if (const Duration turn = FirstTurn(); turn > Duration::zero()) Explore(began_ + turn);
  attempts_.RunAttempts([this] { return Next(); });
  TakeIn();
  const bool over = attempts_.Stopped() || trial_.state() == GateState::kWorse ||
                    trial_.state() == GateState::kOpen || !NeverStarted().empty();
  if (!over) Explore(end());
}

bool Gate::IsHead(const AttemptResult& result) const {
  return same() ? result.attempt % 2 == 0 : result.target == head().text;
}

int Gate::PairOf(const AttemptResult& result) const {
  return same() ? (result.attempt + 1) / 2 : result.attempt;
}

// What has ended since the last time.
void Gate::TakeIn() {
  const auto& attempts = attempts_.record().attempts;
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

std::string Gate::NeverStarted() const {
  for (const bool of_head : {false, true}) {
    const std::string why =
        WhyNoneServed(attempts_.record(), kStartsInVain,
                      [&](const AttemptResult& result) { return IsHead(result) == of_head; });
    if (!why.empty()) {
      return fmt::format("{} never started: {}", of_head ? options_.head : options_.base, why);
    }
  }
  return {};
}

std::vector<PlannedAttempt> Gate::Next() {
  TakeIn();
  const TimePoint now = options_.now();
  const GateState state = trial_.state();
  if (now >= end() || state == GateState::kWorse || !NeverStarted().empty()) return {};
  if (state != GateState::kOpen && !deeper_until_) {
    const double share = CanExplore() ? kShareOfDeeper : 1;
    deeper_until_ = now + std::chrono::duration_cast<Duration>((end() - now) * share);
  }
  const bool deeper = deeper_until_ && now < *deeper_until_;
  if (state != GateState::kOpen && !deeper) return {};
  std::vector<PlannedAttempt> attempts;
  const auto most = static_cast<std::size_t>(attempts_.jobs());
  for (const NextPair& pair :
       trial_.Next(most, deeper ? GateTrial::Depth::kDeeper : GateTrial::Depth::kEnough)) {
    AddPair(pair.index, attempts);
  }
  return attempts;
}

// Which of the two starts first is drawn, so that the order favours neither.
void Gate::AddPair(std::size_t index, std::vector<PlannedAttempt>& attempts) {
  const int pair = ++pairs_[index];
  const std::uint64_t seed = SeedOfAttempt(attempts_.seed(), pair);
  const std::string& name = attempts_.cases()[index].name;
  PlannedAttempt first{name, &base(), same() ? 2 * pair - 1 : pair, seed};
  PlannedAttempt second{name, &head(), same() ? 2 * pair : pair, seed};
  if (order_.Chance(0.5)) std::swap(first, second);
  attempts.push_back(std::move(first));
  attempts.push_back(std::move(second));
}

void Gate::Explore(TimePoint until) {
  if (!CanExplore() || until - options_.now() < kLeastExploration) return;
  const TimePoint began = options_.now();
  explored_ = options_.explore(trial_, until);
  exploring_ += options_.now() - began;
  summary_ = fmt::format(
      "{} on the head in {}, with the base as control: {} on both, {} on the head alone",
      Count(explored_.scripts, "script"),
      FormatSeconds(std::chrono::duration<double>(exploring_).count()),
      Count(static_cast<std::size_t>(explored_.shared), "kind") + " of findings",
      explored_.found.size());
  if (explored_.not_alone > 0) {
    summary_ += fmt::format(", {} that did not show again", explored_.not_alone);
  }
  if (!explored_.ended.ok()) summary_ += "; ended early: " + explored_.ended.message();
}

// What it takes to decide.
std::vector<std::string> Gate::Missing() const {
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
  for (const GateScript& script : explored_.found) {
    const double evidence = Evidence(script.pairs);
    if (evidence < 1 || script.pairs.against == 0) continue;
    missing.push_back(fmt::format("script {} of the exploration: {} of {} pairs against the head",
                                  script.number, script.pairs.against, script.pairs.count()));
  }
  if (explored_.unexamined > 0) {
    missing.push_back(
        fmt::format("{} of the exploration on the head alone, not yet compared",
                    Count(static_cast<std::size_t>(explored_.unexamined), "finding")));
  }
  return missing;
}

// Cases that the head failed more often; or, if it only broke something else in them, those that
// it failed.
std::vector<GateFailure> Gate::Failures() const {
  const auto& cases = trial_.cases();
  const bool worse = trial_.state() == GateState::kWorse;
  const auto more_often = [worse](const CaseState& one) {
    return worse ? one.pairs.against > one.pairs.in_favour : one.suspect();
  };
  const bool any = std::ranges::any_of(cases, more_often);
  std::vector<GateFailure> failures;
  std::set<std::size_t> seen;
  for (const AttemptSummary& one : attempts_.record().attempts) {
    if (one.result.verdict != Verdict::kFail || !IsHead(one.result)) continue;
    const std::size_t index = index_.at(one.result.case_name);
    const bool shown = any ? more_often(cases[index]) : worse;
    if (!shown || !seen.insert(index).second) continue;
    failures.push_back({.index = index, .attempt = &one, .picture = {}});
  }
  std::ranges::stable_sort(failures, [&cases](const auto& a, const auto& b) {
    return cases[a.index].evidence > cases[b.index].evidence;
  });
  if (!failures.empty() && options_.draw) {
    failures.front().picture = options_.draw(failures.front().attempt->result);
  }
  return failures;
}

// Cases that the base failed and the head never, and known findings of which there are many more.
std::vector<std::string> Gate::Gone() const {
  std::vector<std::string> gone;
  for (const CaseState& one : trial_.cases()) {
    if (one.base_failed > 0 && one.head_failed == 0) gone.push_back(one.info.name);
  }
  return gone;
}

std::vector<std::string> Gate::ManyMoreKnown() const {
  KnownCounts of_base;
  KnownCounts of_head;
  for (const AttemptSummary& one : attempts_.record().attempts) {
    (IsHead(one.result) ? of_head : of_base).Add(one.result);
  }
  return ManyMore(of_base, of_head);
}

double Gate::SecondsPerAttempt() const {
  double seconds = 0;
  const auto& attempts = attempts_.record().attempts;
  for (const AttemptSummary& one : attempts) seconds += one.result.seconds;
  return attempts.empty() ? 1 : seconds / static_cast<double>(attempts.size());
}

std::vector<Power> Gate::PowerIf(double seconds_per_attempt) const {
  return PowerOf(attempts_.cases().size(), seconds_per_attempt,
                 {.seconds = std::chrono::duration<double>(options_.budget - FirstTurn()).count(),
                  .at_a_time = attempts_.jobs()});
}

GateOutcome Gate::Outcome() {
  const RunRecord& record = attempts_.record();
  std::vector<std::string> labels = RowsOf(record).labels;
  if (!same() && labels.front() == labels.back()) {
    labels.front() += fmt::format(" ({})", options_.base);
    labels.back() += fmt::format(" ({})", options_.head);
  }
  const auto profile = record.flags.find("profile");
  GateOutcome outcome{.base = labels.front(),
                      .head = labels.back(),
                      .seconds = std::chrono::duration<double>(options_.now() - began_).count(),
                      .trial = trial_,
                      .record = record,
                      .failures = Failures(),
                      .missing = Missing(),
                      .quick = profile != record.flags.end() && profile->second.value == "quick",
                      .explored = summary_,
                      .gone = Gone(),
                      .many_more = ManyMoreKnown(),
                      .scripts = explored_.found,
                      .power = {}};
  if (trial_.state() == GateState::kWorse) {
    outcome.verdict = GateVerdict::kWorse;
  } else {
    outcome.power = PowerIf(SecondsPerAttempt());
    if (outcome.missing.empty()) outcome.verdict = GateVerdict::kNotWorse;
  }
  return outcome;
}

}  // namespace watchproof
