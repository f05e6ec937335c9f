// SPDX-License-Identifier: Apache-2.0
#include "harness/checkers/exercise.h"

#include <fmt/format.h>

namespace watchproof {

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
