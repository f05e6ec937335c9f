// SPDX-License-Identifier: Apache-2.0
// Whether a plan that was read from a file can be carried out: what a step refers to is defined by
// an earlier step, and all numbers have a plausible size.
//
//   WP_RETURN_IF_ERROR(CheckPlan(plan));   // "step 3 (heal): there is no fault 'stall' before it"
//
// Steps are numbered from 1. Threads: a pure function.
#pragma once

#include "harness/base/status.h"
#include "harness/driver/plan.h"

namespace watchproof {

Status CheckPlan(const Plan& plan);

}  // namespace watchproof
