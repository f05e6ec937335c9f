// SPDX-License-Identifier: Apache-2.0
// The exit codes: a public contract, the same for every command.
//
// Threads: pure functions.
#pragma once

#include "harness/report/run_record.h"

namespace watchproof {

enum class ExitCode : int {
  kOk = 0,                 // everything selected passed, or failed exactly as the answer key says
  kFailed = 1,             // at least one new failure, or one that is back
  kInconclusive = 2,       // no failure, but something undecided
  kTarget = 3,             // a target could not be started or reached
  kUsage = 4,              // wrong flags or configuration
  kNothingSelected = 5,    // the selection is empty
  kStaleExpectations = 6,  // the answer key is out of date: a bug was fixed early
  kInternal = 70,          // an error of watchproof, or a harness error of a case
  kInterrupted = 130,
  kTerminated = 143,
};

enum class Strict { kNo, kYes };

// For a run with a selection that was not empty. If several codes apply, the first of this order
// wins: 130/143, 70, 1, 3, 6, 2, 0.
ExitCode Decide(const RunRecord& record, Strict strict);

}  // namespace watchproof
