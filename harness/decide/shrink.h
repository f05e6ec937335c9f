// SPDX-License-Identifier: Apache-2.0
// A failing plan reduced to what the failure needs, and how often the smallest one fails.
//
//   WP_ASSIGN_OR_RETURN(const ShrunkPlan shrunk, Shrink(attempts, plan, {.limit = 5min}));
//
// The rule: a smaller plan must fail about as often as the one that the search began with, or it
// would end with one that fails once in a while, by luck. How often that fails is measured first; a
// smaller one is taken once it has failed three times within as many attempts as it takes one that
// fails half as often. The smallest is measured at the end, and given up for the one before it if
// it fails less than half as often.
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
  // Attempts with a smaller plan before it counts as passing, at least: where the first plan fails
  // by chance, as many as let one that fails as often pass once in a hundred times, up to forty.
  int tries = 3;
  Duration limit{};  // of the search; the measuring before and after it comes on top
  // Each smaller plan that is taken, before others are tried; an error ends the search.
  std::function<Status(const Plan& plan)> keep = {};
};

struct ShrunkPlan {
  Plan plan;
  bool complete = false;  // every smaller plan was tried
  int attempts = 0;       // of the search, with those that measured the first plan
  double seconds = 0;     // likewise
  Proportion began{};     // attempts with the first plan that failed
  Proportion measured{};  // and with the smallest
};

// A plan that does not fail again is left as it is. Errors: an attempt could not be started, or a
// plan could not be kept.
Result<ShrunkPlan> Shrink(PlanAttempts& attempts, const Plan& plan, const ShrinkOptions& options);

}  // namespace watchproof
