// SPDX-License-Identifier: Apache-2.0
#include "harness/checkers/exercise.h"

#include <fmt/format.h>

#include "harness/checkers/facts.h"

namespace watchproof {

Exercise ExerciseOfWatches(const Facts& facts) {
  Exercise exercise{.watches_asked = facts.table.size(), .promises_asked = facts.table.size()};
  for (std::uint32_t i = 0; i < facts.table.size(); ++i) {
    const WatchIndex watch(i);
    const WatchState& state = facts.state(watch);
    if (state.created || state.end == WatchEnd::kRefused) ++exercise.promises_answered;
    if (facts.details(watch).cancel_asked) {
      ++exercise.promises_asked;
      if (state.end != WatchEnd::kOpen) ++exercise.promises_answered;
    }
    if (!state.created) continue;
    ++exercise.watches_created;
    exercise.events_expected += facts.comparer.Expected(watch);
    exercise.events_delivered += facts.comparer.Delivered(watch);
  }
  return exercise;
}

std::optional<std::string> Vacuous(const Exercise& exercise,
                                   const std::vector<std::string>& guarantees) {
  for (const std::string& guarantee : guarantees) {
    if (exercise.opportunities.contains(guarantee)) continue;
    return fmt::format("vacuous: nothing in this attempt could have broken {}", guarantee);
  }
  if (!guarantees.empty() || exercise.events_expected > 0) return std::nullopt;
  return fmt::format("vacuous: {} watches were created, and no event was expected at any",
                     exercise.watches_created);
}

}  // namespace watchproof
