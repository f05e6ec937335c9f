// SPDX-License-Identifier: Apache-2.0
// The steps that ask for what only an operator does: hashes and alarms. See step.h.
#pragma once

#include <string_view>

#include "harness/scenario/step.h"

namespace watchproof {

// Asks a member for the hash of its history up to a revision, once it has come to it. Hashes of one
// revision and one compaction are equal, or it is a finding of Serializable.
struct HashStep {
  RevisionRef at{};
  int member = 1;
  static constexpr std::string_view kOp = "hash";
  void Fields(FieldList& field) {
    field("at", at);
    field("member", member).Optional().Member();
  }
  std::string_view Request() const { return "a hash"; }
  Usage Cost() const { return {.operations = 1}; }
  std::string BeyondKubernetes() const { return "a hash"; }
  Status Run(StepContext& context) const;
};

// Asks the target for its alarms. That for a full backend is listed if and only if it is `raised`,
// and then puts are refused; otherwise a finding of Answered.
struct ListAlarmsStep {
  bool raised = true;
  static constexpr std::string_view kOp = "list alarms";
  void Fields(FieldList& field) { field("raised", raised); }
  std::string_view Request() const { return "the list of alarms"; }
  Usage Cost() const { return {.operations = 2}; }
  std::string BeyondKubernetes() const { return "the list of alarms"; }
  Status Run(StepContext& context) const;
};

}  // namespace watchproof
