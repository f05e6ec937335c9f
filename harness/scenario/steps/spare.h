// SPDX-License-Identifier: Apache-2.0
// The steps in which an operator changes the members of a cluster, or asks for them. See step.h,
// and the guarantee Enrolled.
#pragma once

#include <string_view>

#include "harness/scenario/step.h"

namespace watchproof {

// Asks the member to add a learner to its cluster, one without a process; to move that to another
// address; and to give it a vote, which it must refuse, as the learner has not caught up. What it
// answers with, the list of members, is recorded.
struct AddSpareStep {
  int member = 1;
  bool optional = false;     // a refusal breaks no promise: other events may be the reason
  bool and_no_more = false;  // it is added, and neither moved nor promoted
  static constexpr std::string_view kOp = "add spare";
  void Fields(FieldList& field) {
    field("member", member).Member();
    field("optional", optional).Optional();
    field("and_no_more", and_no_more).Optional();
  }
  std::string_view Request() const { return "a learner"; }
  Status Run(StepContext& context) const;
};

// Asks the member once more to give the learner a vote, which it must refuse for the same reason:
// its leader knows it. Without a learner an attempt is inconclusive, unless one is optional.
struct AskSpareVoteStep {
  int member = 1;
  bool optional = false;
  static constexpr std::string_view kOp = "ask spare vote";
  void Fields(FieldList& field) {
    field("member", member).Member();
    field("optional", optional).Optional();
  }
  std::string_view Request() const { return "a vote for a learner"; }
  Status Run(StepContext& context) const;
};

// Asks the member to remove it. Without one this does nothing.
struct RemoveSpareStep {
  int member = 1;
  static constexpr std::string_view kOp = "remove spare";
  void Fields(FieldList& field) { field("member", member).Member(); }
  std::string_view Request() const { return "the removal of a learner"; }
  Status Run(StepContext& context) const;
};

// Asks each member for the list as it has it itself. Every member must run.
struct ListMembersStep {
  static constexpr std::string_view kOp = "list members";
  void Fields(FieldList&) {}
  std::string_view Request() const { return "the list of members"; }
  Status Run(StepContext& context) const;
};

}  // namespace watchproof
