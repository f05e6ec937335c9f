// SPDX-License-Identifier: Apache-2.0
#include "harness/cli/plan_attempts.h"

#include <signal.h>

#include <algorithm>

#include "harness/targets/child_process.h"

namespace watchproof {
Status PlanAttempts::Start(const Plan& plan, std::size_t index) {
  AttemptSpec spec = o_.spec;
  spec.attempt = ++attempts_;
  WP_ASSIGN_OR_RETURN(const AttemptFolder folder,
                      o_.folder.MakeAttempt(o_.target, spec.case_name, spec.attempt));
  spec.folder = folder.absolute.string();
  spec.given_plan = (folder.absolute / "plan.jsonl").string();
  WP_RETURN_IF_ERROR(WritePlan(spec.given_plan, plan,
                               {.case_name = spec.case_name,
                                .target = spec.target,
                                .seed = FormatSeed(spec.seed),
                                .attempt = spec.attempt}));
  plan_of_[spec.attempt] = index;
  WP_ASSIGN_OR_RETURN(
      auto process,
      CaseProcess::Start(
          {.executable = OwnExecutable(), .spec = spec, .folder = folder, .timeout = o_.timeout}));
  running_.push_back(std::move(process));
  return {};
}

bool PlanAttempts::Shows(const AttemptResult& result) const {
  return result.verdict == Verdict::kFail &&
         std::any_of(result.findings.begin(), result.findings.end(),
                     [this](const FindingRecord& f) { return f.guarantee == o_.guarantee; });
}

void PlanAttempts::Collect(Tried& tried) {
  AwaitSome(running_, o_.signals);
  for (const std::unique_ptr<CaseProcess>& process : TakeEnded(running_)) {
    const auto result = process->Conclude();
    if (result && Shows(*result)) tried.failed.push_back(plan_of_[process->spec().attempt]);
    o_.folder.FinishAttempt(process->folder().absolute, KeepFiles::kNone);
    ++tried.ended;
  }
}

// By signal first, so that each case stops its target.
void PlanAttempts::StopAll() {
  for (const auto& process : running_) process->Interrupt(SIGTERM);
  Tried ignored;
  while (!running_.empty()) Collect(ignored);
}

Result<PlanAttempts::Tried> PlanAttempts::Try(const std::vector<Plan>& plans, int tries,
                                              const std::function<bool(const Tried&)>& enough) {
  Tried tried;
  const std::size_t total = plans.size() * static_cast<std::size_t>(tries);
  std::size_t started = 0;
  while (!interrupted() && !enough(tried) && (started < total || !running_.empty())) {
    if (started == total || running_.size() == static_cast<std::size_t>(o_.jobs)) {
      Collect(tried);
      continue;
    }
    const std::size_t plan = started++ % plans.size();
    if (Status begun = Start(plans[plan], plan); !begun.ok()) {
      StopAll();
      return begun;
    }
  }
  StopAll();
  return tried;
}

Result<std::optional<std::size_t>> PlanAttempts::FirstFailing(const std::vector<Plan>& plans,
                                                              int tries, Deadline deadline) {
  WP_ASSIGN_OR_RETURN(const Tried tried, Try(plans, tries, [&deadline](const Tried& so_far) {
                        return !so_far.failed.empty() || deadline.expired();
                      }));
  if (tried.failed.empty()) return std::optional<std::size_t>();
  return std::optional<std::size_t>(tried.failed.front());
}

Result<AttemptCount> PlanAttempts::Count(const Plan& plan, int attempts) {
  WP_ASSIGN_OR_RETURN(const Tried tried, Try({plan}, attempts, [](const Tried&) { return false; }));
  return AttemptCount{.failed = static_cast<int>(tried.failed.size()), .tried = tried.ended};
}

}  // namespace watchproof
