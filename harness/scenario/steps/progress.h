// SPDX-License-Identifier: Apache-2.0
// The steps about progress notifications. See step.h.
#pragma once

#include <string>

#include "harness/scenario/step.h"

namespace watchproof {

struct RequestProgressStep {
  std::string stream = "main";
  static constexpr std::string_view kOp = "request progress";
  void Fields(FieldList& field);
  Usage Cost() const { return {.operations = 1}; }
  Status Run(StepContext& context) const;
};

// Waits until a progress answer has arrived on the stream; the request is repeated, because a
// target may drop it while a watch is not caught up.
struct AwaitProgressStep {
  std::string stream = "main";
  static constexpr std::string_view kOp = "await progress";
  void Fields(FieldList& field);
  Usage Cost() const { return {.operations = 1}; }
  Status Run(StepContext& context) const;
};

// As AwaitProgress, but required of the target: if no answer comes in time, that is a finding of
// Bookmarkable.
struct MustReportProgressStep {
  bool asked = true;  // otherwise without a request, to watches with progress_notify
  std::string stream = "main";
  Duration limit = 5s;
  static constexpr std::string_view kOp = "must report progress";
  void Fields(FieldList& field);
  Status Run(StepContext& context) const;
};

}  // namespace watchproof
