// SPDX-License-Identifier: Apache-2.0
// The figures of one attempt of a case that measures, one number each.
//
//   for (const auto& [at, value] : FiguresOf(result, {Measure::kPuts})) Print(at.Name(), value);
//
// Threads: pure functions.
#pragma once

#include <compare>
#include <map>
#include <set>
#include <string>
#include <string_view>

#include "harness/model/figure.h"
#include "harness/results/result.h"

namespace watchproof {

// A figure beside a burden; empty: beside none.
struct FigureAt {
  std::string case_name;
  Figure figure{};
  std::string beside;
  auto operator<=>(const FigureAt&) const = default;
  std::string Name() const;  // "puts per second beside a compaction"
  std::string Id() const;    // with the case
};

// In the place of a figure: the largest share of the processors that others than the attempt used
// while the target was measured. Where it is more, what takes time is no figure of the target.
inline constexpr std::string_view kElsewhere = "elsewhere";
inline constexpr double kMostElsewhere = 0.1;
// 0: it does not say.
double ElsewhereOf(const AttemptResult& result);
// Whether it depends on how busy the machine is.
bool TakesTime(Figure figure);

// Those of these measures: the median of what was measured in the attempt.
std::map<FigureAt, double> FiguresOf(const AttemptResult& result,
                                     const std::set<Measure>& measures);

// "memory,puts": errors name what is none of them.
Result<std::set<Measure>> ParseMeasures(const std::string& list);

}  // namespace watchproof
