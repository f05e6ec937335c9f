// SPDX-License-Identifier: Apache-2.0
// Selects the cases of a run. Filters follow GoogleTest: "Ordered.*:Unique.*-*.Slow*".
//
// Threads: pure functions.
#pragma once

#include <algorithm>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "cases/support/case_registry.h"
#include "harness/scenario/step.h"

namespace watchproof {

// Whether one of them has the value, or has it in a field.
template <typename Range, typename T, typename Field = std::identity>
bool Contains(const Range& range, const T& value, Field field = {}) {
  return std::ranges::find(range, value, field) != std::ranges::end(range);
}
// The first that has it. Requires: there is one.
template <typename Range, typename T, typename Field>
const auto& FirstWith(const Range& range, const T& value, Field field) {
  return *std::ranges::find(range, value, field);
}

// '*' is any text, '?' any one character.
bool MatchesPattern(std::string_view pattern, std::string_view name);
// Patterns joined by ':', then '-' and patterns that exclude. Without a positive pattern everything
// counts.
bool MatchesFilter(std::string_view filter, std::string_view name);

// Which of the selected cases run: all that do not measure, those of them that are quick, or those
// about what clients cost the store.
enum class RunProfile { kFull, kQuick, kOfCosts };

struct Selection {
  std::string filter = "*";
  std::string exclude;                  // patterns joined by ':'
  std::vector<std::string> guarantees;  // any of them; empty: all
  std::vector<std::string> levels;      // any of them; empty: all
  RunProfile profile = RunProfile::kFull;
};
// Whatever the profile.
std::vector<CaseInfo> Select(const std::vector<CaseInfo>& cases, const Selection& selection);

// Whether it asks for a documented promise, of one server that keeps running, in few calls. `usage`
// is that of one of its plans.
bool IsQuick(const CaseInfo& info, const Usage& usage);
bool IsIn(RunProfile profile, const CaseInfo& info);

}  // namespace watchproof
