// SPDX-License-Identifier: Apache-2.0
// The standing promises of the API, asked at the end of every attempt of every stream and watch
// that is still open: progress, delivery, new watches of every kind, reads, leases, and at last the
// end of every watch. The recording is judged; nothing is judged here.
//
//   WP_RETURN_IF_ERROR(AskClosingQuestions(context));
//
// What the target does not offer is left out, and the recording says so. harness/explore asks the
// same of the store under virtual time. Not thread-safe: the case thread.
#pragma once

#include "harness/scenario/step.h"
#include "harness/scenario/step_context.h"

namespace watchproof {

// Puts that lift the head over the start of a watch in the future.
inline constexpr std::int64_t kMostSentinels = 200;

// Upper bounds of what the questions use of the target.
Usage CostOfQuestions();

// Asks all of them that the profile does not leave out. An error: a call got no answer. Requires:
// every watch has settled.
Status AskClosingQuestions(StepContext& context);

}  // namespace watchproof
