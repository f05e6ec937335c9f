// SPDX-License-Identifier: Apache-2.0
// Attempts that follow given plans, to see which of them still fail as one attempt did: with a
// finding of its guarantee and of the same signature. Any other end, a harness error included, does
// not count as failing.
//
//   WP_ASSIGN_OR_RETURN(const FailedPlan failed, FindFailedPlan({.run = "runs/latest"}));
//   PlanProcesses attempts(failed, folder, Signals::Install(), 4);
//   WP_ASSIGN_OR_RETURN(const TriedPlans tried, attempts.Try({failed.plan}, 20, NotYet));
//
// Not thread-safe.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "harness/base/status.h"
#include "harness/results/attempt_spec.h"
#include "harness/runs/plan_pool.h"
#include "harness/runs/recordings.h"
#include "harness/runs/run_folder.h"
#include "harness/runs/signals.h"
#include "harness/scenario/plan.h"
#include "harness/targets/target_spec.h"

namespace watchproof {

struct FailedPlan {
  AttemptSpec spec;
  TargetSpec target;
  Plan plan;
  std::string guarantee;  // of its first finding, with its signature
  std::string resembles{};
  PlanHeader header() const;
};
// A new failure of a run, or else a known one: the one that failed in most attempts of its case,
// and among these the gravest. Or a kept script, which says itself what it shows. Errors name the
// run, or the file, and what was expected.
Result<FailedPlan> FindFailedPlan(const FindingRequest& request);

struct TriedPlans {
  std::vector<std::size_t> failed;  // which of the plans, in the order in which they did
  int ended = 0;                    // attempts
};

class PlanAttempts {
 public:
  virtual ~PlanAttempts() = default;
  // Tries every plan once, then again, so many times each or until it is enough.
  virtual Result<TriedPlans> Try(const std::vector<Plan>& plans, int tries,
                                 const std::function<bool(const TriedPlans&)>& enough) = 0;
  // Whether a signal came: no more are made.
  virtual bool interrupted() const = 0;
  // So far.
  virtual int attempts() const = 0;
};

// Each attempt in its own process and a few at a time. No process and no file of an attempt
// outlives a call.
class PlanProcesses final : public PlanAttempts {
 public:
  // Ownership: borrows everything.
  PlanProcesses(const FailedPlan& failed, RunFolder& folder, Signals& signals, int jobs)
      : failed_(failed),
        signals_(signals),
        pool_({.spec = failed.spec,
               .target = failed.target,
               .folder = folder,
               .signals = signals,
               .jobs = jobs}) {}

  Result<TriedPlans> Try(const std::vector<Plan>& plans, int tries,
                         const std::function<bool(const TriedPlans&)>& enough) override;
  bool interrupted() const override { return signals_.count() > 0; }
  int attempts() const override { return pool_.started(); }

 private:
  void Collect(TriedPlans& tried);
  bool Shows(const AttemptResult& result) const;

  const FailedPlan& failed_;
  Signals& signals_;
  PlanPool pool_;
};

}  // namespace watchproof
