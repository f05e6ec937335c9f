// SPDX-License-Identifier: Apache-2.0
#include "harness/cli/exit_code.h"

#include <algorithm>

#include "harness/report/mutation.h"

namespace watchproof {

namespace {

// Only attempts on the clean store must be decided, not those with a defect planted.
bool CleanIsDecided(const RunRecord& record) {
  return std::none_of(record.attempts.begin(), record.attempts.end(),
                      [&](const AttemptSummary& attempt) {
                        return PlantedIn(record, attempt.result.target) == nullptr &&
                               OutcomeOf(attempt) == Outcome::kInconclusive;
                      });
}

}  // namespace

ExitCode Decide(const RunRecord& record, Strict strict) {
  if (record.interrupted == "interrupted") return ExitCode::kInterrupted;
  if (record.interrupted == "terminated") return ExitCode::kTerminated;
  const Tally tally = CountOutcomes(record);
  if (tally[Outcome::kHarnessError] > 0) return ExitCode::kInternal;
  if (tally[Outcome::kFail] + tally[Outcome::kRegression] > 0) return ExitCode::kFailed;
  if (tally[Outcome::kTargetFailed] > 0 || record.named_not_fetched) return ExitCode::kTarget;
  if (!record.defects.empty()) {
    const MutationTable table = Mutations(record);
    if (!table.AllCaught() || !table.CleanIsClean()) return ExitCode::kFailed;
    return CleanIsDecided(record) ? ExitCode::kOk : ExitCode::kInconclusive;
  }
  const bool stale = tally[Outcome::kFixedEarly] > 0 || !record.stale.empty();
  if (stale && strict == Strict::kYes) return ExitCode::kStaleExpectations;
  if (tally[Outcome::kInconclusive] > 0) return ExitCode::kInconclusive;
  const int unjudged = tally[Outcome::kUnsupported] + tally[Outcome::kNotFetched];
  if (unjudged > 0 && unjudged == tally.total()) return ExitCode::kInconclusive;
  return ExitCode::kOk;
}

}  // namespace watchproof
