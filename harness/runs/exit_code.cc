// SPDX-License-Identifier: Apache-2.0
#include "harness/runs/exit_code.h"

#include <algorithm>

#include "harness/report/mutation.h"

namespace watchproof {

namespace {

// Only attempts on the clean store must be decided, not those with a defect planted.
bool CleanIsDecided(const RunRecord& record) {
  return std::ranges::none_of(record.attempts, [&](const AttemptSummary& attempt) {
    return PlantedIn(record, attempt.result.target) == nullptr &&
           OutcomeOf(attempt) == Outcome::kInconclusive;
  });
}

}  // namespace

const std::vector<ExitCodeInfo>& ExitCodes() {
  static const std::vector<ExitCodeInfo> kCodes = {
      {ExitCode::kOk, "success", "everything passed, or failed exactly as the known bugs do"},
      {ExitCode::kFailed, "new failure", "at least one failure that is new, or back"},
      {ExitCode::kInconclusive, "inconclusive",
       "no failure, but something is undecided, or everything is unsupported"},
      {ExitCode::kTarget, "target failed", "a target could not be started or reached"},
      {ExitCode::kUsage, "usage error", "an invalid option, value or configuration"},
      {ExitCode::kNothingSelected, "nothing selected", "no case was selected"},
      {ExitCode::kStaleExpectations, "expectations out of date",
       "the list of known bugs is out of date: one was fixed early, or names no case; or an "
       "accepted failure names no case, or its last day is over"},
      {ExitCode::kInternal, "harness error",
       "an error of watchproof or of the machine; a new failure counts first if at most one "
       "attempt "
       "in ten ended so"},
      {ExitCode::kInterrupted, "interrupted", "by SIGINT; reports are written all the same"},
      {ExitCode::kTerminated, "terminated",
       "by SIGTERM, SIGHUP (a closed terminal) or SIGQUIT; reports are written all the same"},
  };
  return kCodes;
}

ExitCode Decide(const RunRecord& record, Strict strict) {
  if (record.interrupted == "interrupted") return ExitCode::kInterrupted;
  if (record.interrupted == "terminated") return ExitCode::kTerminated;
  const Tally tally = CountOutcomes(record);
  if (BreaksRun(tally)) return ExitCode::kInternal;
  if (tally[Outcome::kFail] + tally[Outcome::kRegression] > 0) return ExitCode::kFailed;
  if (tally[Outcome::kHarnessError] > 0) return ExitCode::kInternal;
  if (tally[Outcome::kTargetFailed] > 0 || record.named_not_fetched) return ExitCode::kTarget;
  if (!record.defects.empty()) {
    const MutationTable table = Mutations(record);
    if (!table.AllCaught() || !table.CleanIsClean()) return ExitCode::kFailed;
    return CleanIsDecided(record) ? ExitCode::kOk : ExitCode::kInconclusive;
  }
  const bool stale = tally[Outcome::kFixedEarly] > 0 || !record.stale.empty();
  if (stale && strict == Strict::kYes) return ExitCode::kStaleExpectations;
  if (tally[Outcome::kInconclusive] > 0 || !record.incomplete.empty()) {
    return ExitCode::kInconclusive;
  }
  const int unjudged = tally[Outcome::kUnsupported] + tally[Outcome::kNotFetched];
  if (unjudged > 0 && unjudged == tally.total()) return ExitCode::kInconclusive;
  return ExitCode::kOk;
}

}  // namespace watchproof
