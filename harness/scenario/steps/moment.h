// SPDX-License-Identifier: Apache-2.0
// The steps that wait for a moment or a time. See step.h.
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
  Moment moment = Moment::kResponse;
  std::string of;  // a group, or a load
  std::int64_t count = 1;
  RevisionRef revision{};
  Duration limit = 500ms;
  static constexpr std::string_view kOp = "when";
  void Fields(FieldList& field);
  Status Run(StepContext& context) const;
};

// Waits for a time that is part of the scenario, such as the length of a stall.
struct HoldStep {
  Duration duration{};
  static constexpr std::string_view kOp = "hold";
  void Fields(FieldList& field);
  std::vector<HoldStep> Smaller() const;
  Status Run(StepContext& context) const;
};

}  // namespace watchproof
