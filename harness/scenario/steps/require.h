// SPDX-License-Identifier: Apache-2.0
// The step with which a case proves that it is in the state that its name claims. See step.h.
#pragma once

#include <string>

#include "harness/scenario/step.h"

namespace watchproof {

// Without the fact the attempt tests something else, and is inconclusive. It decides nothing about
// the target.
struct RequireStep {
  enum class Fact {
    kBehind,     // every watch is open, and some change has not reached it yet
    kPartly,     // the same, and at least one of them has received events
    kReceived,   // every watch has received at least one event
    kSilent,     // no watch has received any
    kCutShort,   // at least one received events and then ErrCompacted
    kCompacted,  // every watch ended with ErrCompacted
    kCancelled,  // every watch was cancelled, at least one of them before it had received the head
    kRefused,    // every create was refused
    kUncreated,  // no create has been answered
  };
  std::string group;
  Fact fact = Fact::kBehind;
  Duration limit{};  // for which it may take until then
  static constexpr std::string_view kOp = "require";
  void Fields(FieldList& field);
  Status Run(StepContext& context) const;
};

}  // namespace watchproof
