// SPDX-License-Identifier: Apache-2.0
// The steps that inject and heal faults. See step.h.
#pragma once

#include <map>
#include <string>

#include "harness/scenario/step.h"

namespace watchproof {

struct InjectStep {
  std::string fault;  // its kind, or the kind, a slash and a suffix
  std::map<std::string, std::string> parameters{};
  bool optional = false;  // of the spare faults of a plan, at least one must take effect
  static constexpr std::string_view kOp = "inject";
  void Fields(FieldList& field) {
    field("fault", fault).Defines(Subject::kFault);
    field("parameters", parameters);
    field("optional", optional);
  }
  Status Check() const;
  std::string_view Request() const;
  Usage Cost() const { return {.faults = 1}; }
  Status Run(StepContext& context) const;
};

// Waits until the fault took effect, or 3 s have passed: a later effect will do, too.
struct AwaitEffectStep {
  std::string fault;
  // Instead of the 3 s, where what follows needs the effect: without it by then the attempt tests
  // something else, and is inconclusive.
  Duration must_within{};
  static constexpr std::string_view kOp = "await effect";
  void Fields(FieldList& field) {
    field("fault", fault).Uses(Subject::kFault);
    field("must_within_us", must_within).Optional();
  }
  Status Run(StepContext& context) const;
};

struct HealStep {
  std::string fault;
  static constexpr std::string_view kOp = "heal";
  void Fields(FieldList& field) { field("fault", fault).Uses(Subject::kFault); }
  std::string_view Request() const { return "maintenance"; }
  Status Run(StepContext& context) const;
};

}  // namespace watchproof
