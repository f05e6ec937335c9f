// SPDX-License-Identifier: Apache-2.0
#include "harness/checkers/burdened.h"

#include <fmt/format.h>

#include <algorithm>

#include "harness/statistics/times.h"

namespace watchproof {

bool Burdened::Take(const Annotation& annotation, Where where) {
  const auto* const pair = std::get_if<MeasuredPair>(&annotation);
  if (pair == nullptr || pair->limit <= 0) return false;
  const auto figure = FindFigure(pair->of);
  if (!figure || std::ranges::count(measures_, About(*figure).measure) == 0) return false;
  Series& series = series_[{*figure, pair->beside}];
  series.limit = pair->limit;
  series.times.push_back(TimesWorse(*figure, pair->with, pair->without));
  series.with.push_back(pair->with);
  series.without.push_back(pair->without);
  series.lines.push_back(where.line);
  return true;
}

std::vector<Draft> Burdened::Beyond() const {
  std::vector<Draft> drafts;
  for (const auto& [of, series] : series_) {
    if (Decide(series.times, series.limit) != Decided::kBeyond) continue;
    const auto& [figure, burden] = of;
    const FigureInfo& info = About(figure);
    const Interval times = MedianInterval(series.times);
    Draft draft{
        .expected =
            fmt::format("{} beside {}: not {:g} times as bad as before, which was {}", info.words,
                        burden, series.limit, WithUnit(figure, MedianOf(series.without))),
        .observed = fmt::format("{}, {:.1f} times as bad ({:.1f} to {:.1f} in {} comparisons)",
                                WithUnit(figure, MedianOf(series.with)), MedianOf(series.times),
                                times.low, times.high, series.times.size()),
        .evidence = series.lines,
        .symptom = symptom::Burden{figure, burden}};
    drafts.push_back(std::move(draft));
  }
  return drafts;
}

std::vector<std::string> Burdened::Open() const {
  std::vector<std::string> open;
  for (const auto& [of, series] : series_) {
    if (Decide(series.times, series.limit) != Decided::kOpen) continue;
    open.push_back(fmt::format(
        "{} beside {}: in {} of {} comparisons {:g} times as bad as before, which decides nothing",
        About(of.first).words, of.second, CountBeyond(series.times, series.limit).against,
        series.times.size(), series.limit));
  }
  return open;
}

}  // namespace watchproof
