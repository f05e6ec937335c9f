// SPDX-License-Identifier: Apache-2.0
#include "harness/statistics/bisection.h"

#include <cmath>

namespace watchproof {

Bisection::Bisection(std::size_t builds)
    : states_(builds, BuildState::kUnknown), first_bad_(builds - 1) {
  states_.front() = BuildState::kGood;
  states_.back() = BuildState::kBad;
}

std::optional<std::size_t> Bisection::Next() const {
  const std::size_t middle = (last_good_ + first_bad_) / 2;
  std::optional<std::size_t> nearest;
  const auto away = [middle](std::size_t i) { return i > middle ? i - middle : middle - i; };
  for (std::size_t i = last_good_ + 1; i < first_bad_; ++i) {
    if (states_[i] != BuildState::kUnknown) continue;
    if (!nearest || away(i) < away(*nearest)) nearest = i;
  }
  return nearest;
}

void Bisection::Set(std::size_t build, BuildState state) {
  states_[build] = state;
  if (state == BuildState::kGood && build > last_good_) last_good_ = build;
  if (state == BuildState::kBad && build < first_bad_) first_bad_ = build;
}

ShowState ShowTest::state() const {
  // An attempt that shows what a build with the bug always shows leaves no chance to "not".
  const double certain = 1 - 1e-9;
  const double with = std::fmin(present, certain);
  const double likelihood =
      shown * std::log(with / absent) + (tried - shown) * std::log((1 - with) / (1 - absent));
  const double enough = std::log(99.0);
  if (likelihood >= enough) return ShowState::kShows;
  return likelihood <= -enough ? ShowState::kShowsNot : ShowState::kOpen;
}

}  // namespace watchproof
