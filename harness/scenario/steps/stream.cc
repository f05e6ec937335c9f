// SPDX-License-Identifier: Apache-2.0
#include "harness/scenario/steps/stream.h"

#include "harness/scenario/step_context.h"

namespace watchproof {
namespace {

const StepRegistration<RequestProgressStep, AwaitProgressStep, MustReportProgressStep, CloseStep,
                       FinishRequestsStep, UnknownRequestStep, OversizedRequestStep>
    kStreamSteps;

}  // namespace

Status RequestProgressStep::Run(StepContext& context) const {
  WP_ASSIGN_OR_RETURN(WatchStream* const opened, context.Stream(stream));
  opened->RequestProgress();
  context.ProgressRequested();
  return {};
}

// The request is repeated, so a stream that is caught up receives an answer.
Status AwaitProgressStep::Run(StepContext& context) const {
  return context.MustReportProgress(stream, /*asked=*/true, StepContext::kPatience);
}

Status MustReportProgressStep::Run(StepContext& context) const {
  return context.MustReportProgress(stream, asked, limit);
}

Status CloseStep::Run(StepContext& context) const {
  WP_ASSIGN_OR_RETURN(WatchStream* const opened, context.Stream(stream));
  opened->Close();
  return {};
}

Status FinishRequestsStep::Run(StepContext& context) const {
  WP_ASSIGN_OR_RETURN(WatchStream* const opened, context.Stream(stream));
  opened->HalfClose();
  context.finished_requests().insert(opened->id());
  return {};
}

Status UnknownRequestStep::Run(StepContext& context) const {
  WP_ASSIGN_OR_RETURN(WatchStream* const opened, context.Stream(stream));
  opened->RequestUnknown();
  return {};
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
