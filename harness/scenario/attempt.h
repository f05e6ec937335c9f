// SPDX-License-Identifier: Apache-2.0
// One attempt of one case: starts a target, carries out the plan, heals, converges, judges, and
// leaves its evidence.
//
//   AttemptResult result = RunAttempt(spec, ParseTargetSpec(spec.target), plan);
//
// The plan is in the run's plan file before the first step is taken. In the attempt's folder remain
// history.wire.zst, findings.json, faults.json and target.log.zst. Blocks; one at a time per
// process.
#pragma once

#include "harness/results/attempt_spec.h"
#include "harness/results/result.h"
#include "harness/scenario/plan.h"
#include "harness/targets/target_spec.h"

namespace watchproof {

// An error in the place of the target becomes that of the attempt.
AttemptResult RunAttempt(const AttemptSpec& spec, const Result<TargetSpec>& parsed,
                         const Plan& plan);

}  // namespace watchproof
