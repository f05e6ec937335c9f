// SPDX-License-Identifier: Apache-2.0
// The steps of a script of exploration, as steps of a plan. The kinds are those of
// script/script.h, each with its fields there; drive/shared carries them out. A plan has either
// these steps or others.
//
//   Plan plan = PlanOf(script);
//   scenario.Add(Explored(explore::Put{.key = "a/1"}));    // {"op":"explored put","key":"a/1"}
//
// Threads: values.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "harness/checkers/finding.h"
#include "harness/scenario/plan.h"
#include "harness/scenario/step.h"
#include "harness/script/smaller.h"

namespace watchproof {

// "explored put".
template <typename Kind>
struct ExploredName {
  static constexpr std::string_view kBefore = "explored ";
  static constexpr std::string_view kKind = Kind::kName;
  static constexpr auto kText = [] {
    std::array<char, kBefore.size() + kKind.size()> text{};
    std::copy(kBefore.begin(), kBefore.end(), text.begin());
    std::copy(kKind.begin(), kKind.end(), text.begin() + kBefore.size());
    return text;
  }();
};

template <typename Kind>
struct ExploredStep {
  Kind step{};
  static constexpr std::string_view kOp{ExploredName<Kind>::kText.data(),
                                        ExploredName<Kind>::kText.size()};
  void Fields(FieldList& field) {
    const auto optional = [&field](std::string_view name, auto& value) {
      field(name, value).Optional();
    };
    step.Fields(optional);
  }
  Status Check() const { return explore::Check(step); }
  Usage Cost() const {
    if constexpr (requires { step.times; }) {
      return {.operations = static_cast<std::size_t>(step.times)};
    }
    return {.operations = 1};
  }
  std::vector<ExploredStep> Smaller() const {
    std::vector<ExploredStep> steps;
    for (Kind& smaller : explore::Smaller(step)) steps.push_back({std::move(smaller)});
    return steps;
  }
  std::string BeyondKubernetes() const { return "a script of exploration"; }
  explore::Step Explored() const { return step; }
};

Step Explored(const explore::Step& step);
Plan PlanOf(const explore::Script& script);
// A script that showed the finding on the target, as a plan to be kept: its case has a name of its
// own, by the guarantee and the steps.
PlanFile PlanOfFound(const explore::Script& script, const Finding& shown, std::string_view target,
                     std::uint64_t seed);
// The same of a plan that was drawn.
PlanFile PlanOfFound(Plan plan, std::string_view guarantee, std::string_view signature,
                     std::string_view target, std::uint64_t seed);
// The name of the target in a plan that was found under virtual time.
inline constexpr std::string_view kVirtualTime = "virtual";

}  // namespace watchproof
