// SPDX-License-Identifier: Apache-2.0
#include "harness/scenario/steps/stream.h"

#include "harness/scenario/step_context.h"

namespace watchproof {
namespace {

const StepRegistration<CloseStep> kClose;
const StepRegistration<FinishRequestsStep> kFinishRequests;
const StepRegistration<UnknownRequestStep> kUnknownRequest;

}  // namespace

void CloseStep::Fields(FieldList& field) { field("stream", stream); }

Status CloseStep::Run(StepContext& context) const {
  WP_ASSIGN_OR_RETURN(WatchStream* const opened, context.Stream(stream));
  opened->Close();
  return {};
}

void FinishRequestsStep::Fields(FieldList& field) { field("stream", stream); }

Status FinishRequestsStep::Run(StepContext& context) const {
  WP_ASSIGN_OR_RETURN(WatchStream* const opened, context.Stream(stream));
  opened->HalfClose();
  context.finished_requests().insert(opened->id());
  return {};
}

void UnknownRequestStep::Fields(FieldList& field) { field("stream", stream); }

Status UnknownRequestStep::Run(StepContext& context) const {
  WP_ASSIGN_OR_RETURN(WatchStream* const opened, context.Stream(stream));
  opened->RequestUnknown();
  return {};
}

}  // namespace watchproof
