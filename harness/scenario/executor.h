// SPDX-License-Identifier: Apache-2.0
// Carries out a plan, step by step, on the case thread; then heals, converges and reports which
// faults took effect.
//
//   Executor executor(session, plan, spec);
//   Status done = executor.Run();       // not ok: the harness, the machine or the target failed
//   executor.Converge();
//   executor.inconclusive();  executor.faults().receipts();
//
// Not thread-safe. Ownership: refers to the session and the plan.
#pragma once

#include <string>
#include <vector>

#include "harness/scenario/plan.h"
#include "harness/scenario/step_context.h"
#include "harness/session/session.h"
#include "harness/session/verdict.h"

namespace watchproof {

class Executor {
 public:
  Executor(AttemptSession& session, const Plan& plan, const AttemptSpec& spec);

  Status Run();
  // Heals every fault, writes sentinels into every watched range, waits until every watch has
  // settled, and then asks the standing promises of the API.
  Status Converge();
  // Idempotent; also after a failed Run. When it returns, every load has stopped.
  void HealAll() { context_.HealAll(); }

  // Why the scenario did not reach what it planned; empty if it did.
  const std::vector<std::string>& inconclusive() const { return context_.inconclusive(); }
  const ArmedFaults& faults() const { return context_.faults(); }
  const std::vector<Measured>& measured() const { return context_.figures().measured(); }
  double elsewhere() const { return context_.elsewhere(); }
  // What is known of it, if it ended with this status: it is about the last request to the target.
  Trouble TroubleOf(const Status& done) const;

 private:
  Status RunStep(const Step& step);
  void Ask(std::string_view what);
  // Whatever the steps wrote must come before anything else is asked.
  void AwaitWhatWasWritten();
  Status WriteSentinels();
  bool AwaitSettled();
  Duration LeftToConverge() const;
  Status AskStandingPromises();
  Status AskConsumer();

  AttemptSession& session_;
  const Plan& plan_;
  const AttemptSpec& spec_;
  StepContext context_;
  bool of_target_ = true;             // whether the target is the cause if the last request fails
  std::set<std::string> answered_{};  // requests, at least once
  bool went_back_ = false;            // the revision of the store
  std::string asked_;
  TimePoint asked_at_ = Clock::now();
};

}  // namespace watchproof
