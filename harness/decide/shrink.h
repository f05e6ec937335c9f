// SPDX-License-Identifier: Apache-2.0
// A failing plan reduced to what the failure needs, and how often the smallest one fails.
//
//   WP_ASSIGN_OR_RETURN(const ShrunkPlan shrunk, Shrink(attempts, plan, {.limit = 5min}));
//
// Not thread-safe.
#pragma once

#include <functional>

#include "harness/base/deadline.h"
#include "harness/base/status.h"
#include "harness/runs/plan_attempts.h"
#include "harness/statistics/proportion.h"

namespace watchproof {

struct ShrinkOptions {
  int tries = 3;     // of a smaller plan, before it counts as passing
  Duration limit{};  // of the search; the measuring afterwards comes on top
  // Each smaller plan that fails, before others are tried; an error ends the search.
  std::function<Status(const Plan& plan)> keep = {};
};

struct ShrunkPlan {
  Plan plan;
  bool complete = false;  // every smaller plan was tried
  int attempts = 0;       // of the search
  double seconds = 0;     // likewise
  Proportion measured;    // attempts with the plan that failed
};

// Errors: an attempt could not be started, or a plan could not be kept.
Result<ShrunkPlan> Shrink(PlanAttempts& attempts, const Plan& plan, const ShrinkOptions& options);

}  // namespace watchproof
