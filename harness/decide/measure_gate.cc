// SPDX-License-Identifier: Apache-2.0
#include "harness/decide/measure_gate.h"

#include <algorithm>

#include "harness/decide/gate.h"
#include "harness/decide/shown_bug.h"
#include "harness/report/text.h"
#include "harness/results/attempt_spec.h"

namespace watchproof {
namespace {

constexpr std::string_view kBusy = "the machine was busy with other things";
constexpr double kLeastSeconds = 0.1;
// Their median passes over one that is disturbed. Many short pairs say more than few long ones.
constexpr int kTurnsOfPair = 3;
// A case is left after so many pairs without anything to compare.
constexpr int kFruitlessPairs = 3;

}  // namespace

MeasureGate::MeasureGate(Attempts& attempts, MeasureGateOptions options)
    : attempts_(attempts),
      options_(std::move(options)),
      began_(options_.now()),
      order_(Prng(attempts.seed()).Fork("gate/order")) {
  for (const CaseInfo& info : attempts_.cases()) {
    if (MayMeasure(info, options_.measures)) cases_.push_back({.name = info.name});
  }
}

void MeasureGate::Decide() {
  attempts_.RunAttempts([this] { return Next(); });
  TakeIn();
}

std::string MeasureGate::NeverStarted() const {
  for (const TargetSpec& target : attempts_.targets()) {
    const std::string why = WhyNoneServed(
        attempts_.record(), kFruitlessPairs,
        [&target](const AttemptResult& result) { return result.target == target.text; });
    if (!why.empty()) return fmt::format("{} never started: {}", target.text, why);
  }
  return {};
}

std::vector<PlannedAttempt> MeasureGate::Next() {
  TakeIn();
  const bool under_way = waiting_.has_value();
  if (under_way || options_.now() >= began_ + options_.budget) return {};
  if (trial_.state() == MeasureState::kWorse || !NeverStarted().empty()) return {};
  const Case* const next = NextCase();
  if (next == nullptr) return {};
  Case& one = cases_[static_cast<std::size_t>(next - cases_.data())];
  const int pair = ++one.pairs;
  const std::uint64_t seed = SeedOfAttempt(attempts_.seed(), pair);
  const auto planned = [&](const TargetSpec& target, int attempt) {
    return PlannedAttempt{one.name, &target, attempt, seed, kTurnsOfPair};
  };
  PlannedAttempt first = planned(attempts_.targets().front(), same() ? 2 * pair - 1 : pair);
  PlannedAttempt second = planned(attempts_.targets().back(), same() ? 2 * pair : pair);
  if (order_.Chance(0.5)) std::swap(first, second);
  return {first, second};
}

// The one with the most evidence for a difference, for the time that a pair takes; without any, the
// one with the fewest pairs.
const MeasureGate::Case* MeasureGate::NextCase() const {
  const auto evidence = [this](const Case& one) {
    double most = 0;
    for (const FigureAt& at : one.figures) {
      const FigureState& figure = trial_.figures().at(at.Id());
      if (figure.suspect()) most = std::max(most, figure.evidence());
    }
    return most * one.compared / std::max(one.seconds, kLeastSeconds);
  };
  const Case* best = nullptr;
  const bool all_known = std::ranges::all_of(cases_, [](const Case& one) { return one.pairs > 0; });
  for (const Case& one : cases_) {
    if (Finished(one)) continue;
    if (best == nullptr) {
      best = &one;
      continue;
    }
    const double a = all_known ? evidence(one) : 0;
    const double b = all_known ? evidence(*best) : 0;
    if (a > b || (a == b && one.pairs < best->pairs)) best = &one;
  }
  return best;
}

bool MeasureGate::Finished(const Case& one) const {
  if (one.compared == 0) return one.pairs >= kFruitlessPairs;
  return std::ranges::all_of(
      one.figures, [this](const FigureAt& at) { return trial_.figures().at(at.Id()).excluded(); });
}

void MeasureGate::TakeIn() {
  const auto& attempts = attempts_.record().attempts;
  for (; taken_ < attempts.size(); ++taken_) {
    const AttemptResult& result = attempts[taken_].result;
    if (!waiting_) {
      waiting_ = result;
      continue;
    }
    const bool head_first =
        same() ? waiting_->attempt % 2 == 0 : waiting_->target == attempts_.targets().back().text;
    const auto one = std::ranges::find(cases_, result.case_name, &Case::name);
    if (one != cases_.end()) {
      one->seconds += result.seconds + waiting_->seconds;
      Compare(*one, head_first ? result : *waiting_, head_first ? *waiting_ : result);
    }
    waiting_.reset();
  }
}

void MeasureGate::Compare(Case& one, const AttemptResult& base, const AttemptResult& head) {
  const std::map<FigureAt, double> of_base = FiguresOf(base, options_.measures);
  const std::map<FigureAt, double> of_head = FiguresOf(head, options_.measures);
  const bool busy = std::max(ElsewhereOf(base), ElsewhereOf(head)) > kMostElsewhere;
  one.busy += busy ? 1 : 0;
  bool any = false;
  for (const auto& [at, value] : of_base) {
    const auto other = of_head.find(at);
    if (other == of_head.end() || (busy && TakesTime(at.figure))) continue;
    any = true;
    one.figures.insert(at);
    both_[at].base.push_back(value);
    both_[at].head.push_back(other->second);
    trial_.Add(at.Id(), About(at.figure).tolerance, TimesWorse(at.figure, other->second, value));
  }
  one.compared += any ? 1 : 0;
  if (any) return;
  const AttemptResult& empty = of_head.empty() ? head : base;
  one.reason = busy ? std::string(kBusy)
                    : fmt::format("{}: {} {}", empty.target, Name(empty.verdict), empty.reason);
}

MeasureOutcome MeasureGate::Outcome() const {
  MeasureOutcome outcome{.base = options_.base,
                         .head = options_.head,
                         .seconds = std::chrono::duration<double>(options_.now() - began_).count(),
                         .trial = trial_,
                         .record = attempts_.record(),
                         .figures = both_,
                         .missing = {}};
  std::size_t compared = 0;
  for (const Case& one : cases_) {
    compared += one.compared > 0 ? 1 : 0;
    if (Finished(one) && one.compared > 0) continue;
    if (one.compared == 0 && one.pairs >= kFruitlessPairs) {
      outcome.missing.push_back(
          fmt::format("{}: nothing was measured on both: {}", one.name, one.reason));
    } else {
      outcome.missing.push_back(fmt::format("more pairs of {}, of which there {} {}", one.name,
                                            one.compared == 1 ? "is" : "are", one.compared));
    }
  }
  int busy = 0;
  for (const Case& one : cases_) busy += one.busy;
  if (busy > 0 && !outcome.missing.empty()) {
    outcome.missing.push_back(
        fmt::format("{} in {}: puts, delays and resident memory of these "
                    "do not count",
                    kBusy, Count(static_cast<std::size_t>(busy), "pair")));
  }
  const MeasureState state = trial_.state();
  if (state == MeasureState::kWorse) {
    outcome.verdict = GateVerdict::kWorse;
  } else if (state == MeasureState::kNotWorse && outcome.missing.empty()) {
    outcome.verdict = GateVerdict::kNotWorse;
  }
  return outcome;
}

}  // namespace watchproof
