// SPDX-License-Identifier: Apache-2.0
#include "harness/runs/plan_attempts.h"

#include <signal.h>

#include <algorithm>

#include "harness/runs/selection.h"

namespace watchproof {
namespace {

namespace fs = std::filesystem;

// Chooses the failed attempt: the first new failure, or else the first known one.
Result<AttemptResult> ChooseAttempt(const FindingRequest& request) {
  std::vector<AttemptResult> failed = FailedAttempts(request.run, request.filter, request.target);
  std::erase_if(failed, [](const AttemptResult& result) { return result.findings.empty(); });
  if (failed.empty()) {
    return Fail(StatusCode::kNotFound, "no attempt of {} failed{}{}", request.run,
                request.filter.empty() ? "" : " that matches " + request.filter,
                request.target.empty() ? "" : " on " + request.target);
  }
  const auto fresh = std::ranges::find(failed, false, &AttemptResult::known);
  return fresh == failed.end() ? failed.front() : *fresh;
}

Result<FailedPlan> FindAttempt(const fs::path& run, const AttemptResult& attempt) {
  FailedPlan found;
  found.spec.case_name = attempt.case_name;
  found.spec.target = attempt.target;
  WP_ASSIGN_OR_RETURN(found.target, ParseTargetSpec(attempt.target));
  WP_ASSIGN_OR_RETURN(found.spec.seed, ParseSeed(attempt.seed));
  PlanHeader header = found.header();
  header.attempt = attempt.attempt;
  WP_ASSIGN_OR_RETURN(RecordedPlan recorded, FindPlan(run / "plan.jsonl.zst", header));
  found.spec.bypass_proxy = recorded.bypass_proxy;
  found.spec.no_faults = recorded.no_faults;
  found.spec.faults = std::move(recorded.faults);
  found.plan = std::move(recorded.plan);
  found.guarantee = attempt.findings.front().guarantee;
  return found;
}

Result<FailedPlan> FindInRun(const FindingRequest& request) {
  HoldRun(request.run);
  WP_ASSIGN_OR_RETURN(const AttemptResult attempt, ChooseAttempt(request));
  return FindAttempt(request.run, attempt);
}

// A script that exploration kept, which says itself what it shows.
Result<FailedPlan> FindInPlan(const FindingRequest& request) {
  WP_ASSIGN_OR_RETURN(PlanFile file, ReadPlan(request.run));
  if (file.plan.shows.empty()) {
    return Fail(StatusCode::kInvalidArgument,
                "{}: it does not say what it shows; expected a plan that `explore --keep` kept, or "
                "the folder of a run",
                request.run);
  }
  FailedPlan found;
  found.spec.case_name = file.header.case_name;
  found.spec.target = request.target.empty() ? file.header.target : request.target;
  WP_ASSIGN_OR_RETURN(found.target, ParseTargetSpec(found.spec.target));
  WP_ASSIGN_OR_RETURN(found.spec.seed, ParseSeed(file.header.seed));
  found.guarantee = file.plan.shows;
  found.plan = std::move(file.plan);
  return found;
}

}  // namespace

PlanHeader FailedPlan::header() const {
  return {.case_name = spec.case_name, .target = spec.target, .seed = FormatSeed(spec.seed)};
}

Result<FailedPlan> FindFailedPlan(const FindingRequest& request) {
  return fs::is_directory(request.run) ? FindInRun(request) : FindInPlan(request);
}

Result<TriedPlans> PlanProcesses::Try(const std::vector<Plan>& plans, int tries,
                                      const std::function<bool(const TriedPlans&)>& enough) {
  TriedPlans tried;
  const std::size_t total = plans.size() * static_cast<std::size_t>(tries);
  std::size_t started = 0;
  while (!interrupted() && !enough(tried) && (started < total || !running_.empty())) {
    if (started == total || running_.size() == static_cast<std::size_t>(jobs_)) {
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

Status PlanProcesses::Start(const Plan& plan, std::size_t index) {
  AttemptSpec spec = failed_.spec;
  spec.attempt = ++attempts_;
  WP_ASSIGN_OR_RETURN(const AttemptFolder folder,
                      folder_.MakeAttempt(failed_.target, spec.case_name, spec.attempt));
  spec.folder = folder.absolute.string();
  spec.given_plan = (folder.absolute / "plan.jsonl").string();
  PlanHeader header = failed_.header();
  header.attempt = spec.attempt;
  WP_RETURN_IF_ERROR(WritePlan(spec.given_plan, plan, header));
  plan_of_[spec.attempt] = index;
  WP_ASSIGN_OR_RETURN(
      auto process,
      CaseProcess::Start({.executable = OwnExecutable(), .spec = spec, .folder = folder}));
  running_.push_back(std::move(process));
  return {};
}

// Waits a while, and adds what has ended.
void PlanProcesses::Collect(TriedPlans& tried) {
  AwaitSome(running_, signals_);
  for (const std::unique_ptr<CaseProcess>& process : TakeEnded(running_)) {
    const auto result = process->Conclude();
    if (result && Shows(*result)) tried.failed.push_back(plan_of_[process->spec().attempt]);
    folder_.FinishAttempt(process->folder().absolute, KeepFiles::kNone);
    ++tried.ended;
  }
}
bool PlanProcesses::Shows(const AttemptResult& result) const {
  return result.verdict == Verdict::kFail &&
         Contains(result.findings, failed_.guarantee, &FindingRecord::guarantee);
}

// By signal first, so that each case stops its target.
void PlanProcesses::StopAll() {
  for (const auto& process : running_) process->Interrupt(SIGTERM);
  TriedPlans ignored;
  while (!running_.empty()) Collect(ignored);
}

}  // namespace watchproof
