// SPDX-License-Identifier: Apache-2.0
#include "harness/scenario/figure_turns.h"

#include <algorithm>
#include <cstdlib>

namespace watchproof {

std::optional<MeasuredPair> FigureTurns::Note(Figure figure, double value, const Burden& beside) {
  const std::string of(About(figure).name);
  const std::map<Figure, double>& known = beside.over ? first_ : last_;
  std::optional<MeasuredPair> pair;
  if (const auto before = known.find(figure); !beside.name.empty() && before != known.end()) {
    const auto limit = beside.limits.find(of);
    pair = MeasuredPair{
        .of = of,
        .beside = beside.name,
        .with = value,
        .without = before->second,
        .limit = limit == beside.limits.end() ? 0 : std::strtod(limit->second.c_str(), nullptr)};
    Add(*pair);
  }
  if (beside.name.empty() && std::ranges::count(measured_, of, &Measured::of) == 0) {
    const auto [first, is_new] = first_.try_emplace(figure, value);
    if (!is_new && TimesWorse(figure, value, first->second) > 1) first->second = value;
  }
  if (beside.name.empty() || beside.over) last_[figure] = value;
  return pair;
}

std::optional<double> FigureTurns::Last(Figure figure) const {
  const auto found = last_.find(figure);
  return found == last_.end() ? std::nullopt : std::optional(found->second);
}

void FigureTurns::Add(const MeasuredPair& pair) {
  const auto is_same = [&pair](const Measured& one) {
    return one.of == pair.of && one.beside == pair.beside;
  };
  auto found = std::ranges::find_if(measured_, is_same);
  if (found == measured_.end())
    found = measured_.insert(measured_.end(), {pair.of, pair.beside, {}, {}});
  found->with.push_back(pair.with);
  found->without.push_back(pair.without);
}

}  // namespace watchproof
