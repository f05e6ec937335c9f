// SPDX-License-Identifier: Apache-2.0
#include "harness/runs/selection.h"

#include <fnmatch.h>

#include <algorithm>

#include "harness/scenario/plan.h"
#include "harness/scenario/plan_check.h"

namespace watchproof {
namespace {

bool MatchesAny(std::string_view patterns, std::string_view name) {
  while (true) {
    const std::size_t colon = patterns.find(':');
    if (MatchesPattern(patterns.substr(0, colon), name)) return true;
    if (colon == std::string_view::npos) return false;
    patterns.remove_prefix(colon + 1);
  }
}

}  // namespace

bool MatchesPattern(std::string_view pattern, std::string_view name) {
  // Unlike a shell, GoogleTest knows no sets of characters and no escapes.
  std::string glob;
  for (const char c : pattern) {
    if (c == '[' || c == '\\') glob += '\\';
    glob += c;
  }
  return fnmatch(glob.c_str(), std::string(name).c_str(), 0) == 0;
}

bool MatchesFilter(std::string_view filter, std::string_view name) {
  const std::size_t dash = filter.find('-');
  const std::string_view positive = filter.substr(0, dash);
  if (!positive.empty() || dash == std::string_view::npos) {
    if (!MatchesAny(positive, name)) return false;
  }
  return dash == std::string_view::npos || !MatchesAny(filter.substr(dash + 1), name);
}

std::vector<CaseInfo> Select(const std::vector<CaseInfo>& cases, const Selection& selection) {
  std::vector<CaseInfo> selected;
  for (const CaseInfo& info : cases) {
    const auto judged = [&](const std::string& guarantee) {
      return Contains(info.guarantees, guarantee);
    };
    if (!MatchesFilter(selection.filter, info.name)) continue;
    if (!selection.exclude.empty() && MatchesAny(selection.exclude, info.name)) continue;
    if (!selection.guarantees.empty() && std::ranges::none_of(selection.guarantees, judged)) {
      continue;
    }
    if (!selection.levels.empty() && !Contains(selection.levels, std::string(Name(info.level)))) {
      continue;
    }
    selected.push_back(info);
  }
  return selected;
}

bool IsQuick(const CaseInfo& info, const Usage& usage) {
  constexpr std::size_t kMostCalls = 400;
  return info.level == Level::kMust && !info.NeedsCluster() &&
         !Contains(info.needs, Capability::kDurable) && usage.operations <= kMostCalls;
}

// By a plan that does not depend on the run's seed, so that every run with a profile has the same
// cases.
bool IsIn(RunProfile profile, const CaseInfo& info) {
  if (profile == RunProfile::kFull) return true;
  if (profile == RunProfile::kOfCosts) return info.costs != CaseInfo::Costs::kNone;
  constexpr std::uint64_t kAnySeed = 1;
  const std::optional<Plan> plan = PlanOf(info.name, kAnySeed, {});
  return plan && IsQuick(info, UsageOf(*plan));
}

}  // namespace watchproof
