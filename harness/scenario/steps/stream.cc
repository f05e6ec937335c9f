// SPDX-License-Identifier: Apache-2.0
#include "harness/scenario/steps/stream.h"

#include "harness/scenario/step_context.h"

namespace watchproof {
namespace {

const StepRegistration<CloseStep> kClose;
const StepRegistration<FinishRequestsStep> kFinishRequests;
const StepRegistration<UnknownRequestStep> kUnknownRequest;
const StepRegistration<OversizedRequestStep> kOversizedRequest;

constexpr std::int64_t kMostBytes = 64 << 20;

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

void OversizedRequestStep::Fields(FieldList& field) {
  field("stream", stream);
  field("bytes", bytes).Within(1, kMostBytes, "bytes");
}

Status OversizedRequestStep::Run(StepContext& context) const {
  WP_ASSIGN_OR_RETURN(WatchStream* const opened, context.Stream(stream));
  opened->RequestOversized(static_cast<std::size_t>(bytes));
  AttemptSession& session = context.session();
  const auto ended = [&] { return session.traffic().HasEnded(opened->id()); };
  if (!session.PumpUntil(ended, Within(StepContext::kPatience)) && !session.GivesUp()) {
    context.Inconclusive(
        fmt::format("the target has not ended a stream on which it got a request of {} bytes, so "
                    "this attempt is not about that",
                    bytes));
  }
  opened->Close();
  return {};
}

}  // namespace watchproof
