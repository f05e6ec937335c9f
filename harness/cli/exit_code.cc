// SPDX-License-Identifier: Apache-2.0
#include "harness/cli/exit_code.h"

namespace watchproof {

ExitCode Decide(const RunRecord& record, Strict strict) {
  if (record.interrupted == "interrupted") return ExitCode::kInterrupted;
  if (record.interrupted == "terminated") return ExitCode::kTerminated;
  const Tally tally = CountOutcomes(record);
  if (tally[Outcome::kHarnessError] > 0) return ExitCode::kInternal;
  if (tally[Outcome::kFail] > 0) return ExitCode::kFailed;
  if (tally[Outcome::kTargetFailed] > 0 || record.named_not_fetched) return ExitCode::kTarget;
  const bool stale = tally[Outcome::kUnexpectedPass] > 0 || !record.stale.empty();
  if (stale && strict == Strict::kYes) return ExitCode::kStaleExpectations;
  if (tally[Outcome::kInconclusive] > 0) return ExitCode::kInconclusive;
  const int unjudged = tally[Outcome::kUnsupported] + tally[Outcome::kNotFetched];
  if (unjudged > 0 && unjudged == tally.total()) return ExitCode::kInconclusive;
  return ExitCode::kOk;
}

}  // namespace watchproof
