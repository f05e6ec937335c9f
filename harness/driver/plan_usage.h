// SPDX-License-Identifier: Apache-2.0
// Upper bounds for what a plan uses of its target: for owners of a running server.
//
//   Usage most; most.Raise(UsageOf(plan));
//
// Threads: pure functions.
#pragma once

#include <cstdint>

#include "harness/driver/plan.h"

namespace watchproof {

struct Usage {
  std::int64_t keys = 0;      // there at a time
  std::int64_t bytes = 0;     // of values, all that are written
  std::int64_t watchers = 0;  // open at a time
  std::int64_t leases = 0;
  std::int64_t compactions = 0;
};

// Upper bounds: whatever is created is counted as if it stayed, and sentinels and probes as often
// as they may be written.
Usage UsageOf(const Plan& plan);

}  // namespace watchproof
