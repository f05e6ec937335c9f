// SPDX-License-Identifier: Apache-2.0
#include "harness/report/cost_curves.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <tuple>

#include "harness/report/text.h"
#include "harness/statistics/times.h"

namespace watchproof {
namespace {

// The worst stand out that are so many times as bad as the best.
constexpr double kStandsOut = 1.5;
constexpr std::size_t kMostNamed = 4;

// One side of all comparisons on one target.
struct Side {
  std::vector<double> all;
  std::vector<double> medians;  // by attempt

  void Add(const std::vector<double>& values) {
    all.insert(all.end(), values.begin(), values.end());
    medians.push_back(MedianOf(values));
  }
  Amount amount() const { return {.median = MedianOf(medians), .interval = MedianInterval(all)}; }
};

struct Sides {
  Side with;
  Side without;
  Side times;
  std::optional<Outcome> broken;
};

// Such findings begin with the name of what they are about: see burdened.cc.
bool IsAbout(const FigureAt& at, const FindingRecord& finding) {
  return finding.expected.starts_with(at.Name() + ":");
}

void Add(const AttemptRow& row, const FigureAt& at, const Measured& measured, Sides& sides) {
  std::vector<double> times;
  for (std::size_t i = 0; i < std::min(measured.with.size(), measured.without.size()); ++i) {
    times.push_back(TimesWorse(at.figure, measured.with[i], measured.without[i]));
  }
  if (times.empty()) return;
  sides.with.Add(measured.with);
  sides.without.Add(measured.without);
  sides.times.Add(times);
  const AttemptResult& result = row.summary->result;
  const auto about = [&at](const FindingRecord& finding) { return IsAbout(at, finding); };
  if (result.verdict != Verdict::kFail || std::ranges::none_of(result.findings, about)) return;
  sides.broken = std::max(sides.broken.value_or(row.outcome), row.outcome);
}

using SidesByTarget = std::map<std::size_t, Sides>;

CostCurve CurveOf(const FigureAt& at, const SidesByTarget& targets) {
  CostCurve curve{.at = at, .points = {}};
  for (const auto& [target, sides] : targets) {
    curve.points.push_back({.target = target,
                            .with = sides.with.amount(),
                            .without = sides.without.amount(),
                            .times = sides.times.amount(),
                            .broken = sides.broken});
  }
  return curve;
}

// The first number is without the unit, where the second one has it.
std::string Between(Figure figure, const Interval& interval) {
  const std::string low = WithUnit(figure, interval.low);
  return fmt::format("{} to {}", low.substr(0, low.find(' ')), WithUnit(figure, interval.high));
}

Json AmountJson(const Amount& amount, const std::string& text, const std::string& between) {
  return {{"value", amount.median},
          {"low", amount.interval.low},
          {"high", amount.interval.high},
          {"text", text},
          {"between", between}};
}

Json AmountJson(Figure figure, const Amount& amount) {
  return AmountJson(amount, WithUnit(figure, amount.median), Between(figure, amount.interval));
}

Json PointJson(Figure figure, const CostPoint& point) {
  const Amount& times = point.times;
  Json json{{"target", point.target},
            {"with", AmountJson(figure, point.with)},
            {"without", AmountJson(figure, point.without)},
            {"times",
             AmountJson(times, fmt::format("{:.2f}", times.median),
                        fmt::format("{:.2f} to {:.2f}", times.interval.low, times.interval.high))}};
  if (point.broken) json["outcome"] = StyleOf(*point.broken).name;
  return json;
}

// The end of an axis that shows all, and on which next to nothing is low.
double TopOf(const CostCurve& curve) {
  double top = 2 * About(curve.at.figure).nothing;
  for (const CostPoint& point : curve.points) {
    for (const Amount& one : {point.with, point.without}) {
      top = std::max({top, one.median, one.interval.high});
    }
  }
  return top;
}

}  // namespace

std::vector<CostCurve> CostCurves(const RunRecord& record, const ReportRows& rows) {
  std::map<std::string_view, std::size_t> cases;
  std::map<std::string_view, std::size_t> targets;
  for (const CaseSummary& summary : record.cases) cases.emplace(summary.name, cases.size());
  for (const TargetSpec& target : record.targets) targets.emplace(target.text, targets.size());
  std::map<FigureAt, SidesByTarget> all;
  for (const AttemptRow& row : rows.attempts) {
    if (row.summary == nullptr) continue;
    for (const Measured& measured : row.summary->result.measured) {
      const auto figure = FindFigure(measured.of);
      if (!figure || measured.with.empty() || measured.without.empty()) continue;
      const FigureAt at{row.case_name, *figure, measured.beside};
      Add(row, at, measured, all[at][targets.at(row.target)]);
    }
  }
  std::vector<CostCurve> curves;
  for (const auto& [at, by_target] : all) curves.push_back(CurveOf(at, by_target));
  std::ranges::stable_sort(curves, {}, [&cases](const CostCurve& curve) {
    const FigureAt& at = curve.at;
    return std::tuple(About(at.figure).measure, at.figure, cases.at(at.case_name));
  });
  return curves;
}

std::string StandsOut(const CostCurve& curve, const std::vector<std::string>& labels) {
  if (curve.points.empty()) return {};
  std::vector<const CostPoint*> worst;
  for (const CostPoint& point : curve.points) worst.push_back(&point);
  const auto times = [](const CostPoint* point) { return point->times.median; };
  std::ranges::stable_sort(worst, std::ranges::greater{}, times);
  // No burden makes a store better: what looks so is chance, as is what was also seen to be better.
  const double limit = kStandsOut * std::max(1.0, times(worst.back()));
  std::erase_if(worst, [&](const CostPoint* point) {
    return times(point) <= limit || point->times.interval.low <= 1;
  });
  if (worst.empty()) return {};
  std::string text =
      fmt::format("{}: {:.1f} times as bad as before beside {}", labels[worst.front()->target],
                  times(worst.front()), CleanText(curve.at.beside));
  for (std::size_t i = 1; i < std::min(kMostNamed, worst.size()); ++i) {
    text += fmt::format("; {}: {:.1f}", labels[worst[i]->target], times(worst[i]));
  }
  if (worst.size() > kMostNamed) text += fmt::format("; and {} more", worst.size() - kMostNamed);
  return text;
}

Json ToJson(const std::vector<CostCurve>& curves, const std::vector<std::string>& labels) {
  Json all = Json::array();
  for (const CostCurve& curve : curves) {
    const FigureInfo& info = About(curve.at.figure);
    Json json{{"case", curve.at.case_name},
              {"figure", info.words},
              {"beside", CleanText(curve.at.beside)},
              {"measure", kMeasureNames[static_cast<std::size_t>(info.measure)]},
              {"unit", info.unit},
              {"more_is_better", info.more_is_better},
              {"top", TopOf(curve)},
              {"points", Json::array()}};
    for (const CostPoint& point : curve.points) {
      json["points"].push_back(PointJson(curve.at.figure, point));
    }
    if (const std::string text = StandsOut(curve, labels); !text.empty()) json["stands_out"] = text;
    all.push_back(std::move(json));
  }
  return all;
}

}  // namespace watchproof
