// SPDX-License-Identifier: Apache-2.0
// The steps that ask for what only an operator does: hashes and alarms. See step.h.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
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

// Asks the member in use for the hash of all that it holds until that is the same twice, some time
// apart; so many times at most, then it is a finding of Answered. Requires: nothing is written
// meanwhile. With a key to put, the hash must be another one after that.
struct SameHashStep {
  std::size_t tries = 1;  // a store that has just begun may still note things of its own
  std::string put{};
  static constexpr std::string_view kOp = "same hash";
  void Fields(FieldList& field) {
    field("tries", tries).Optional().Within(1, 100, "tries");
    field("put", put).Optional().Is(Subject::kKey);
  }
  std::string_view Request() const { return "a hash"; }
  Usage Cost() const { return {.bytes = 1, .operations = 2 * tries + 2}; }
  std::string BeyondKubernetes() const { return "a hash"; }
  Status Run(StepContext& context) const;
};

// Takes a snapshot of the member in use. Each piece names the bytes that come after it, and the
// last one none; otherwise a finding of Answered.
struct SnapshotStep {
  static constexpr std::string_view kOp = "snapshot";
  void Fields(FieldList&) {}
  std::string_view Request() const { return "a snapshot"; }
  Usage Cost() const { return {.operations = 1}; }
  std::string BeyondKubernetes() const { return "a snapshot"; }
  Status Run(StepContext& context) const;
};

// Asks whether the target may be downgraded to the minor version before its own, for some seconds
// until that is so; permits it, or cancels that, at once.
struct DowngradeStep {
  enum class Action { kValidate, kEnable, kCancel };
  static constexpr std::string_view kActions[] = {"validate", "enable", "cancel"};
  Action action = Action::kValidate;
  static constexpr std::string_view kOp = "downgrade";
  void Fields(FieldList& field) { field("action", action, kActions); }
  std::string_view Request() const { return "a downgrade"; }
  Usage Cost() const { return {.operations = 1}; }
  std::string BeyondKubernetes() const { return "a downgrade"; }
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
