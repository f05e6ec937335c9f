// SPDX-License-Identifier: Apache-2.0
#include "harness/scenario/steps/progress.h"

#include "harness/scenario/step_context.h"

namespace watchproof {
namespace {

const StepRegistration<RequestProgressStep> kRequestProgress;
const StepRegistration<AwaitProgressStep> kAwaitProgress;
const StepRegistration<MustReportProgressStep> kMustReportProgress;

}  // namespace

void RequestProgressStep::Fields(FieldList& field) { field("stream", stream); }

Status RequestProgressStep::Run(StepContext& context) const {
  WP_ASSIGN_OR_RETURN(WatchStream* const opened, context.Stream(stream));
  opened->RequestProgress();
  context.ProgressRequested();
  return {};
}

void AwaitProgressStep::Fields(FieldList& field) { field("stream", stream); }

// The request is repeated, so a stream that is caught up receives an answer.
Status AwaitProgressStep::Run(StepContext& context) const {
  return context.MustReportProgress(stream, /*asked=*/true, StepContext::kPatience);
}

void MustReportProgressStep::Fields(FieldList& field) {
  field("asked", asked);
  field("stream", stream);
  field("us", limit).Waits();
}

Status MustReportProgressStep::Run(StepContext& context) const {
  return context.MustReportProgress(stream, asked, limit);
}

}  // namespace watchproof
