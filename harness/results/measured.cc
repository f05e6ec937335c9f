// SPDX-License-Identifier: Apache-2.0
#include "harness/results/measured.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <sstream>

#include "harness/statistics/times.h"

namespace watchproof {

std::string FigureAt::Name() const {
  const std::string_view words = About(figure).words;
  return beside.empty() ? std::string(words) : fmt::format("{} beside {}", words, beside);
}

std::string FigureAt::Id() const { return case_name + ": " + Name(); }

double ElsewhereOf(const AttemptResult& result) {
  const auto found = std::ranges::find(result.measured, kElsewhere, &Measured::of);
  return found == result.measured.end() || found->with.empty() ? 0 : found->with.front();
}

bool TakesTime(Figure figure) {
  return About(figure).measure != Measure::kMemory || figure == Figure::kResident;
}

std::map<FigureAt, double> FiguresOf(const AttemptResult& result,
                                     const std::set<Measure>& measures) {
  std::map<FigureAt, double> figures;
  for (const Measured& measured : result.measured) {
    const auto figure = FindFigure(measured.of);
    if (!figure || measured.with.empty() || !measures.contains(About(*figure).measure)) continue;
    figures[{result.case_name, *figure, measured.beside}] = MedianOf(measured.with);
    // What is beside a burden comes before what is after it.
    figures.try_emplace({result.case_name, *figure, {}}, MedianOf(measured.without));
  }
  return figures;
}

Result<std::set<Measure>> ParseMeasures(const std::string& list) {
  std::set<Measure> measures;
  std::istringstream names(list);
  for (std::string name; std::getline(names, name, ',');) {
    const auto found = std::ranges::find(kMeasureNames, name);
    if (found == std::end(kMeasureNames)) {
      return Fail(StatusCode::kInvalidArgument, "--measure: '{}'; expected some of {}", name,
                  fmt::join(kMeasureNames, ","));
    }
    measures.insert(static_cast<Measure>(found - std::begin(kMeasureNames)));
  }
  return measures;
}

}  // namespace watchproof
