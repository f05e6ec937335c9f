// SPDX-License-Identifier: Apache-2.0
#include "harness/report/measure_report.h"

#include <fmt/format.h>

#include <algorithm>

#include "harness/base/escape.h"
#include "harness/history/json_fields.h"
#include "harness/report/text.h"
#include "harness/statistics/times.h"

namespace watchproof {
namespace {

const FigureState& StateOf(const MeasureOutcome& outcome, const FigureAt& at) {
  return outcome.trial.figures().at(at.Id());
}

// Those with the most evidence first.
std::vector<FigureAt> Ranked(const MeasureOutcome& outcome) {
  std::vector<FigureAt> ranked;
  for (const auto& [at, both] : outcome.figures) ranked.push_back(at);
  std::ranges::stable_sort(ranked, [&outcome](const FigureAt& a, const FigureAt& b) {
    return StateOf(outcome, a).evidence() > StateOf(outcome, b).evidence();
  });
  return ranked;
}

std::string FigureText(const MeasureOutcome& outcome, const FigureAt& at) {
  const FigureState& state = StateOf(outcome, at);
  const MeasuredOnBoth& both = outcome.figures.at(at);
  const Interval of = MedianInterval(state.times);
  return fmt::format(
      "  {}\n    {} on the base, {} on the head: {:.2f} times as bad ({:.2f} to {:.2f} in {}; "
      "{}), worse by more than {:.0f} % in {}\n",
      at.Name(), WithUnit(at.figure, MedianOf(both.base)), WithUnit(at.figure, MedianOf(both.head)),
      MedianOf(state.times), of.low, of.high, Count(state.times.size(), "pair"), at.case_name,
      100 * state.tolerance, state.counted().against);
}

}  // namespace

std::string ToText(const MeasureOutcome& outcome) {
  constexpr std::size_t kMostShown = 5;
  std::string text = TitleOf(outcome.verdict, outcome.base, outcome.head,
                             outcome.record.attempts.size() / 2, outcome.seconds);
  std::size_t shown = 0;
  // What looks worse in a few pairs says nothing where others have decided.
  const double least = outcome.verdict == GateVerdict::kWorse ? kEnoughToDecide : 0;
  for (const FigureAt& at : Ranked(outcome)) {
    const FigureState& state = StateOf(outcome, at);
    const bool counts = state.suspect() && state.evidence() >= least;
    if (counts && ++shown <= kMostShown) text += FigureText(outcome, at);
  }
  if (outcome.verdict == GateVerdict::kNotWorse) {
    text += fmt::format(
        "  excluded   of each of {}, that it is worse by more than its tolerance in half of all "
        "pairs (95 % confidence)\n",
        Count(outcome.figures.size(), "figure"));
  } else if (outcome.verdict == GateVerdict::kNeedsMore) {
    for (const std::string& one : outcome.missing) {
      text += fmt::format("  missing    {}\n", Escaped(one));
    }
  }
  return text + fmt::format("  run        {}, seed {}\n", Escaped(outcome.record.folder),
                            outcome.record.seed);
}

std::string ToJson(const MeasureOutcome& outcome) {
  Json json{{"schema", 1},
            {"verdict", Name(outcome.verdict)},
            {"base", outcome.base},
            {"head", outcome.head},
            {"run", outcome.record.folder},
            {"seed", outcome.record.seed},
            {"seconds", outcome.seconds},
            {"evidence", std::min(outcome.trial.evidence(), 1e300)},
            {"enough_evidence", kEnoughEvidence},
            {"missing", outcome.missing},
            {"figures", Json::array()}};
  for (const FigureAt& at : Ranked(outcome)) {
    const FigureState& state = StateOf(outcome, at);
    const MeasuredOnBoth& both = outcome.figures.at(at);
    const Interval of = MedianInterval(state.times);
    json["figures"].push_back({{"case", at.case_name},
                               {"of", About(at.figure).name},
                               {"beside", at.beside},
                               {"unit", About(at.figure).unit},
                               {"base", both.base},
                               {"head", both.head},
                               {"times_worse", MedianOf(state.times)},
                               {"low", of.low},
                               {"high", of.high},
                               {"tolerance", state.tolerance},
                               {"beyond", state.counted().against},
                               {"evidence", std::min(state.evidence(), 1e300)}});
  }
  return DumpJson(json);
}

}  // namespace watchproof
