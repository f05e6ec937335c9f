// SPDX-License-Identifier: Apache-2.0
// An attempt that could not make the situation of its case is tried again: within its time, and
// with another plan.
//
//   Result<AttemptResult> result = UntilDecided(spec, {.plan = plan_of, .run = run});
//
// Only what is undecided is tried again. A failure, a harness error and what the case declares end
// the attempt at once, as a pass does, so no try hides another one. The result is that of the last
// try, with the seed and the reason of each before it. The first try is the same however many
// there may be.
#pragma once

#include <functional>
#include <optional>

#include "harness/base/deadline.h"
#include "harness/base/status.h"
#include "harness/results/attempt_spec.h"
#include "harness/results/result.h"
#include "harness/scenario/plan.h"

namespace watchproof {

// How one try is made: of the seed, and within the time, of the specification.
struct OneTry {
  std::function<Result<Plan>(const AttemptSpec&)> plan;
  std::function<AttemptResult(const AttemptSpec&, const Plan&)> run;
};

// Blocks. An error is that of the first plan.
Result<AttemptResult> UntilDecided(const AttemptSpec& spec, const OneTry& once);

// What is left for another try after some that took so long, the longest of them so long. Empty if
// the time limit could end that: the attempt would then be a harness error.
std::optional<Duration> TimeForAnotherTry(Duration limit, Duration taken, Duration longest);

}  // namespace watchproof
