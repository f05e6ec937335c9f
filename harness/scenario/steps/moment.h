// SPDX-License-Identifier: Apache-2.0
// The steps that wait for a moment, a time or the state that the name of a case claims. See step.h.
#pragma once

#include <string>

#include "harness/scenario/step.h"

namespace watchproof {

// Waits for the moment of the next step: something arrives on the wire, or a load has ended so many
// calls. A fault may prevent it, so the next step is taken after the limit in any case.
struct WhenStep {
  enum class Moment {
    kResponse,  // the n-th response to a stream of the group, from here on
    kBytes,     // so many bytes of responses to one of these streams, from here on
    kRevision,  // a watch of the group has received the revision, or a later one
    kProgress,  // the n-th progress answer to a watch of the group, from here on
    kCalls,     // so many calls of the load have ended
  };
  static constexpr std::string_view kMoments[] = {"response", "bytes", "revision", "progress",
                                                  "calls"};
  Moment moment = Moment::kResponse;
  std::string of;  // a group, or a load
  std::int64_t count = 1;
  RevisionRef revision{};
  Duration limit = 500ms;
  static constexpr std::string_view kOp = "when";
  void Fields(FieldList& field) {
    field("moment", moment, kMoments);
    // A load that never began has ended all its calls.
    Field& named = field("of", of);
    if (moment != Moment::kCalls) named.Uses(Subject::kGroup);
    field("count", count);
    field("revision", revision);
    field("us", limit);
  }
  Status Run(StepContext& context) const;
};

// Waits for a time that is part of the scenario, such as the length of a stall.
struct HoldStep {
  Duration duration{};
  static constexpr std::string_view kOp = "hold";
  void Fields(FieldList& field) { field("us", duration).Waits(); }
  std::vector<HoldStep> Smaller() const;
  Status Run(StepContext& context) const;
};

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
  static constexpr std::string_view kFacts[] = {"behind",    "partly",    "received",
                                                "silent",    "cut short", "compacted",
                                                "cancelled", "refused",   "uncreated"};
  std::string group;
  Fact fact = Fact::kBehind;
  Duration limit{};  // for which it may take until then
  static constexpr std::string_view kOp = "require";
  void Fields(FieldList& field) {
    field("group", group).Uses(Subject::kGroup);
    field("fact", fact, kFacts);
    field("us", limit);
  }
  Status Run(StepContext& context) const;
};

}  // namespace watchproof
