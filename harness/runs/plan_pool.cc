// SPDX-License-Identifier: Apache-2.0
#include "harness/runs/plan_pool.h"

#include <signal.h>

#include <utility>

namespace watchproof {

Status PlanPool::Start(const Plan& plan, std::size_t number) {
  AttemptSpec spec = options_.spec;
  spec.attempt = ++attempts_;
  WP_ASSIGN_OR_RETURN(const AttemptFolder folder,
                      options_.folder.MakeAttempt(options_.target, spec.case_name, spec.attempt));
  spec.folder = folder.absolute.string();
  spec.given_plan = (folder.absolute / "plan.jsonl").string();
  const PlanHeader header{.case_name = spec.case_name,
                          .target = spec.target,
                          .seed = FormatSeed(spec.seed),
                          .attempt = spec.attempt};
  WP_RETURN_IF_ERROR(WritePlan(spec.given_plan, plan, header));
  numbers_[spec.attempt] = number;
  WP_ASSIGN_OR_RETURN(
      auto process,
      CaseProcess::Start({.executable = OwnExecutable(), .spec = spec, .folder = folder}));
  running_.push_back(std::move(process));
  return {};
}

std::vector<PlanPool::Ended> PlanPool::Collect() {
  AwaitSome(running_, options_.signals);
  std::vector<Ended> ended;
  for (const std::unique_ptr<CaseProcess>& process : TakeEnded(running_)) {
    ended.push_back({.number = numbers_[process->spec().attempt],
                     .result = process->Conclude(),
                     .folder = process->folder()});
  }
  return ended;
}

void PlanPool::StopAll() {
  for (const auto& process : running_) process->Interrupt(SIGTERM);
  while (!running_.empty()) {
    for (const Ended& ended : Collect()) Finish(ended, KeepFiles::kNone);
  }
}

}  // namespace watchproof
