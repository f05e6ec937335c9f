// SPDX-License-Identifier: Apache-2.0
#include "harness/runs/earlier_run.h"

#include <algorithm>
#include <set>

#include "cases/support/case_registry.h"

namespace watchproof {
namespace {

namespace fs = std::filesystem;

// Whether the run's cases are self-tests.
Cases WhichCases(const RunRecord& earlier) {
  const bool self_test = std::ranges::any_of(earlier.cases, [](const CaseSummary& one) {
    const CaseInfo* const info = FindCase(one.name);
    return info != nullptr && info->expect != Verdict::kPass;
  });
  return self_test ? Cases::kOfWatchproof : Cases::kOfTargets;
}

bool HasFailed(const AttemptSummary& attempt) {
  if (!attempt.result.standing.empty()) return true;
  switch (OutcomeOf(attempt)) {
    case Outcome::kInconclusive:
    case Outcome::kTargetFailed:
    case Outcome::kFail:
    case Outcome::kRegression:
    case Outcome::kHarnessError:
      return true;
    default:
      return false;
  }
}

}  // namespace

// Standing promises are asked for again by the cases that show them.
void LeaveOutStanding(RunRecord& earlier) {
  std::erase_if(earlier.attempts,
                [](const auto& one) { return IsStandingCase(one.result.case_name); });
  std::erase_if(earlier.cases, [](const auto& one) { return IsStandingCase(one.name); });
}

Status KeepFailed(RunRecord& earlier) {
  std::erase_if(earlier.attempts, [](const auto& attempt) { return !HasFailed(attempt); });
  if (earlier.attempts.empty()) {
    return Fail(StatusCode::kNotFound, "no attempt failed or was inconclusive");
  }
  std::set<std::string> cases, targets;
  for (const AttemptSummary& one : earlier.attempts) {
    cases.insert(one.result.case_name);
    targets.insert(one.result.target);
  }
  std::erase_if(earlier.cases, [&](const auto& one) { return !cases.contains(one.name); });
  std::erase_if(earlier.targets, [&](const auto& one) { return !targets.contains(one.text); });
  return {};
}

Status TakeCasesOf(const RunRecord& earlier, RunOptions& options) {
  for (const CaseSummary& one : earlier.cases) {
    if (FindCase(one.name) == nullptr) {
      return Fail(StatusCode::kInvalidArgument, "this watchproof has no case {}", one.name);
    }
  }
  options.shard = {};
  options.cases = WhichCases(earlier);
  const auto named = earlier.flags.find("--target");
  for (const TargetSpec& target : options.targets) {
    const bool by_name =
        named == earlier.flags.end() || Contains(named->second.values, target.text);
    if (!by_name) options.unnamed_targets.insert(target.text);
  }
  return {};
}

void AttemptsAgain(const RunRecord& earlier, RunOptions& options) {
  options.rerun_of = earlier.id;
  options.until_fail = false;
  options.repeat = 1;
  for (const AttemptSummary& attempt : earlier.attempts) {
    const AttemptResult& result = attempt.result;
    options.only.insert({result.case_name, result.target, result.attempt});
    options.repeat = std::max(options.repeat, result.attempt);
  }
}

void GoOnWith(RunRecord earlier, RunOptions& options) {
  options.only = earlier.plan.only;
  options.rerun_of = earlier.rerun_of;
  if (earlier.shard) options.shard = Shard{earlier.shard->index, earlier.shard->count};
  options.resumed = std::move(earlier);
}

Status CheckSamePrograms(const RunRecord& before, const RunRecord& now) {
  const auto differ = [](std::string_view what, const std::string& sum, const std::string& was) {
    return Fail(StatusCode::kFailedPrecondition,
                "--resume: {} has changed: its SHA-256 is {} and was {}; expected the same, or a "
                "new run with --rerun-failed",
                what, sum, was);
  };
  if (now.program_sha256 != before.program_sha256) {
    return differ("watchproof", now.program_sha256, before.program_sha256);
  }
  for (const auto& [target, was] : before.binaries) {
    const auto found = now.binaries.find(target);
    if (found == now.binaries.end()) {
      return Fail(StatusCode::kNotFound, "--resume: {}: there is no {} any more; SHA-256 {}",
                  target, was.binary.string(), was.sha256);
    }
    if (found->second.sha256 != was.sha256) {
      return differ(found->second.binary.string(), found->second.sha256, was.sha256);
    }
  }
  return {};
}

}  // namespace watchproof
