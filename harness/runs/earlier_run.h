// SPDX-License-Identifier: Apache-2.0
// A run that goes on, or the failures of one that run again: what of it is asked for once more.
//
//   LeaveOutStanding(earlier);
//   WP_RETURN_IF_ERROR(KeepFailed(earlier));
//   WP_RETURN_IF_ERROR(TakeCasesOf(earlier, options));
//   AttemptsAgain(earlier, options);                     // or GoOnWith
//
// Threads: functions without state.
#pragma once

#include <filesystem>
#include <string>

#include "harness/base/status.h"
#include "harness/report/run_record.h"
#include "harness/runs/run_options.h"

namespace watchproof {

// Standing promises are asked for again by the cases that show them.
void LeaveOutStanding(RunRecord& earlier);
// Leaves the attempts that failed or came to nothing, with their cases and targets. kNotFound: none
// did.
Status KeepFailed(RunRecord& earlier);

// Its cases, whole, which may be self-tests, and which of the targets were not named. An error:
// this program lacks a case.
Status TakeCasesOf(const RunRecord& earlier, RunOptions& options);
// Those attempts of it that are left, with its seeds.
void AttemptsAgain(const RunRecord& earlier, RunOptions& options);
// What it has not come to yet.
void GoOnWith(RunRecord earlier, RunOptions& options);

// Whether the programs that the run has tested are still the same. Errors have the SHA-256 of both.
Status CheckSamePrograms(const RunRecord& before, const RunRecord& now);

}  // namespace watchproof
