// SPDX-License-Identifier: Apache-2.0
// Attempts that follow given plans, each in its own process and a few at a time.
//
//   PlanPool pool({.spec = spec, .target = target, .folder = folder, .signals = signals});
//   while (!pool.full()) WP_RETURN_IF_ERROR(pool.Start(plan, header, number));
//   for (PlanPool::Ended& ended : pool.Collect()) ... pool.Finish(ended, KeepFiles::kNone);
//
// Not thread-safe. Ownership: borrows folder and signals; no process outlives it.
#pragma once

#include <cstddef>
#include <map>
#include <memory>
#include <optional>
#include <vector>

#include "harness/base/status.h"
#include "harness/results/attempt_spec.h"
#include "harness/runs/case_process.h"
#include "harness/runs/run_folder.h"
#include "harness/runs/signals.h"
#include "harness/scenario/plan.h"
#include "harness/targets/target_spec.h"

namespace watchproof {

class PlanPool {
 public:
  struct Options {
    AttemptSpec spec;  // without what is an attempt's own
    TargetSpec target;
    RunFolder& folder;
    Signals& signals;
    int jobs = 1;
  };
  explicit PlanPool(const Options& options) : options_(options) {}

  bool full() const { return running_.size() >= static_cast<std::size_t>(options_.jobs); }
  bool empty() const { return running_.empty(); }
  // How many attempts so far.
  int started() const { return attempts_; }
  // `number` is the caller's. Requires: not full.
  Status Start(const Plan& plan, std::size_t number);

  struct Ended {
    std::size_t number = 0;
    std::optional<AttemptResult> result;  // empty: it was interrupted before its verdict
    AttemptFolder folder;
  };
  // Waits a while. Each must be finished.
  std::vector<Ended> Collect();
  void Finish(const Ended& ended, KeepFiles keep) {
    options_.folder.FinishAttempt(ended.folder.absolute, keep);
  }
  // By signal first, so that each case stops its target. Blocks until they have; nothing is kept.
  void StopAll();

 private:
  const Options options_;
  std::vector<std::unique_ptr<CaseProcess>> running_;
  std::map<int, std::size_t> numbers_;  // by attempt
  int attempts_ = 0;
};

}  // namespace watchproof
