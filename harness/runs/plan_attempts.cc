// SPDX-License-Identifier: Apache-2.0
#include "harness/runs/plan_attempts.h"
#include "harness/report/rows.h"

#include <algorithm>
#include <tuple>

#include "harness/report/saved_run.h"
#include "harness/runs/selection.h"

namespace watchproof {
namespace {

namespace fs = std::filesystem;

// The finding that was named; or that of a new failure, then of the one that repeats most surely,
// by the share of the case's attempts in the run that failed, and among these the gravest.
Result<ChosenFinding> Choose(const FindingRequest& request) {
  if (!SplitFinding(request.run).finding.empty()) return ChooseFinding(request);
  std::vector<AttemptResult> failed = FailedAttempts(request.run, request.filter, request.target);
  std::erase_if(failed, [](const AttemptResult& result) { return result.findings.empty(); });
  if (failed.empty()) {
    return Fail(StatusCode::kNotFound, "no attempt of {} failed{}{}", request.run,
                request.filter.empty() ? "" : " that matches " + request.filter,
                request.target.empty() ? "" : " on " + request.target);
  }
  WP_ASSIGN_OR_RETURN(const RunRecord run, ReadRun(request.run, DescribeCase));
  const auto passed_share = [&run](const AttemptResult& of) {
    double passed = 0, all = 0;
    for (const AttemptSummary& one : run.attempts) {
      if (one.result.case_name != of.case_name || one.result.target != of.target) continue;
      all += 1;
      passed += one.result.verdict == Verdict::kFail ? 0 : 1;
    }
    return all == 0 ? 0 : passed / all;
  };
  const auto rank = [&](const AttemptResult& result) {
    const FindingRecord& finding = result.findings.front();
    return std::tuple(result.known, passed_share(result), finding.level != "must",
                      GravityOf(finding));
  };
  const AttemptResult& chosen = *std::ranges::min_element(failed, {}, rank);
  return ChosenFinding{request.run, chosen, chosen.findings.front()};
}

Result<FailedPlan> FindAttempt(const ChosenFinding& chosen) {
  const AttemptResult& attempt = chosen.attempt;
  FailedPlan found;
  found.spec.case_name = attempt.case_name;
  found.spec.target = attempt.target;
  WP_ASSIGN_OR_RETURN(found.target, ParseTargetSpec(attempt.target));
  WP_ASSIGN_OR_RETURN(found.spec.seed, ParseSeed(attempt.seed));
  PlanHeader header = found.header();
  header.attempt = attempt.attempt;
  WP_ASSIGN_OR_RETURN(RecordedPlan recorded, FindPlan(chosen.run / "plan.jsonl.zst", header));
  found.spec.bypass_proxy = recorded.bypass_proxy;
  found.spec.no_faults = recorded.no_faults;
  found.spec.faults = std::move(recorded.faults);
  found.plan = std::move(recorded.plan);
  found.guarantee = chosen.finding.guarantee;
  found.resembles = chosen.finding.resembles;
  return found;
}

Result<FailedPlan> FindInRun(const FindingRequest& request) {
  HoldRun(SplitFinding(request.run).run);
  WP_ASSIGN_OR_RETURN(const ChosenFinding chosen, Choose(request));
  if (!chosen.finding.guarantee.empty()) return FindAttempt(chosen);
  return Fail(StatusCode::kNotFound,
              "{}: the attempt failed without a finding, which shrinking "
              "could look for",
              request.run);
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
  found.resembles = file.plan.looks_like;
  found.plan = std::move(file.plan);
  return found;
}

}  // namespace

PlanHeader FailedPlan::header() const {
  return {.case_name = spec.case_name, .target = spec.target, .seed = FormatSeed(spec.seed)};
}

Result<FailedPlan> FindFailedPlan(const FindingRequest& request) {
  return fs::is_regular_file(request.run) ? FindInPlan(request) : FindInRun(request);
}

Result<TriedPlans> PlanProcesses::Try(const std::vector<Plan>& plans, int tries,
                                      const std::function<bool(const TriedPlans&)>& enough) {
  TriedPlans tried;
  const std::size_t total = plans.size() * static_cast<std::size_t>(tries);
  std::size_t started = 0;
  while (!interrupted() && !enough(tried) && (started < total || !pool_.empty())) {
    if (started == total || pool_.full()) {
      Collect(tried);
      continue;
    }
    const std::size_t plan = started++ % plans.size();
    if (Status begun = pool_.Start(plans[plan], plan); !begun.ok()) {
      pool_.StopAll();
      return begun;
    }
  }
  pool_.StopAll();
  return tried;
}

// Waits a while, and adds what has ended.
void PlanProcesses::Collect(TriedPlans& tried) {
  for (const PlanPool::Ended& ended : pool_.Collect()) {
    if (ended.result && Shows(*ended.result)) tried.failed.push_back(ended.number);
    pool_.Finish(ended, KeepFiles::kNone);
    ++tried.ended;
  }
}

bool PlanProcesses::Shows(const AttemptResult& result) const {
  return result.verdict == Verdict::kFail &&
         std::ranges::any_of(result.findings, [this](const FindingRecord& finding) {
           return finding.guarantee == failed_.guarantee && finding.resembles == failed_.resembles;
         });
}

}  // namespace watchproof
