// SPDX-License-Identifier: Apache-2.0
// Follows plans, each attempt in its own process and a few at a time, to see which still fail.
//
//   PlanAttempts trials({.spec = ..., .guarantee = "Reliable", ...});
//   WP_ASSIGN_OR_RETURN(auto first, trials.FirstFailing(candidates, 3, deadline));
//   WP_ASSIGN_OR_RETURN(AttemptCount count, trials.Count(plan, 20));
//
// "Fails" means: a finding of the wanted guarantee. Any other end, a harness error included,
// does not count as failing. Stops early when a signal comes. Not thread-safe. Ownership: no
// process and no file of an attempt outlives a call.
#pragma once

#include <cstddef>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "harness/base/deadline.h"
#include "harness/base/status.h"
#include "harness/cli/case_process.h"
#include "harness/cli/run_folder.h"
#include "harness/cli/signals.h"
#include "harness/scenario/plan.h"

namespace watchproof {

struct PlanAttemptsOptions {
  AttemptSpec spec;       // case, target, seed; the rest is filled in per attempt
  TargetSpec target;      // of the spec
  std::string guarantee;  // of the finding that is wanted
  RunFolder& folder;      // for what attempts leave while they run
  Signals& signals;
  int jobs = 2;
  Duration timeout = 60s;
};

struct AttemptCount {
  int failed = 0;
  int tried = 0;
};

class PlanAttempts {
 public:
  explicit PlanAttempts(const PlanAttemptsOptions& options) : o_(options) {}

  // Tries every plan once, then again, up to `tries` times, until one fails; which one. Empty: none
  // did, or the deadline passed, or a signal came.
  Result<std::optional<std::size_t>> FirstFailing(const std::vector<Plan>& plans, int tries,
                                                  Deadline deadline);
  Result<AttemptCount> Count(const Plan& plan, int attempts);

  bool interrupted() const { return o_.signals.count() > 0; }
  int attempts() const { return attempts_; }

 private:
  struct Tried {
    std::vector<std::size_t> failed;  // plans
    int ended = 0;                    // attempts
  };

  // Tries every plan that often, or until it is enough.
  Result<Tried> Try(const std::vector<Plan>& plans, int tries,
                    const std::function<bool(const Tried&)>& enough);
  Status Start(const Plan& plan, std::size_t index);
  // Waits a while, and adds what has ended.
  void Collect(Tried& tried);
  void StopAll();
  bool Shows(const AttemptResult& result) const;

  const PlanAttemptsOptions o_;
  std::vector<std::unique_ptr<CaseProcess>> running_;
  std::map<int, std::size_t> plan_of_;  // by attempt
  int attempts_ = 0;
};

}  // namespace watchproof
