// SPDX-License-Identifier: Apache-2.0
// The standing promises, asked at the end of an attempt of every stream and watch that is open.
//
//   WP_RETURN_IF_ERROR(AskPromisesOfAttempt(context, plan));
//
// What the target does not offer is left out, and the recording says so. Not thread-safe: the case
// thread.
#pragma once

#include "harness/scenario/plan.h"
#include "harness/scenario/step.h"
#include "harness/scenario/step_context.h"

namespace watchproof {

// Puts that lift the head over the start of a watch in the future.
inline constexpr std::int64_t kMostSentinels = 200;

// Upper bounds of what the promises use of the target.
Usage CostOfStandingPromises();

// Asks for all of them. An error if a call failed that every target answers. Requires: every watch
// has settled.
Status AskPromisesOfAttempt(StepContext& context, const Plan& plan);

}  // namespace watchproof
