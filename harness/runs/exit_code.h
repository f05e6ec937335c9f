// SPDX-License-Identifier: Apache-2.0
// The exit codes: a public contract, the same for every command.
//
// Threads: pure functions.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "harness/base/status.h"
#include "harness/report/run_record.h"

namespace watchproof {

enum class ExitCode : int {
  kOk = 0,
  kFailed = 1,
  kInconclusive = 2,
  kTarget = 3,
  kUsage = 4,
  kNothingSelected = 5,
  kStaleExpectations = 6,
  kInternal = 70,
  kInterrupted = 130,
  kTerminated = 143,
};

struct ExitCodeInfo {
  ExitCode code;
  std::string_view name;  // "new failure"
  std::string_view when;  // a sentence without its end
};
// All, in ascending order.
const std::vector<ExitCodeInfo>& ExitCodes();

// What a command ends with, and why it could not do what it was asked for; empty: it has said all
// that there is to say. An error is one of usage unless it is called something else.
struct CommandEnd {
  CommandEnd(ExitCode ends, std::string reason = {})  // NOLINT: implicit on purpose, as the next
      : code(ends), why(std::move(reason)) {}
  CommandEnd(const Status& error, ExitCode ends = ExitCode::kUsage)  // NOLINT
      : CommandEnd(ends, error.message()) {}

  ExitCode code;
  std::string why;
};

enum class Strict { kNo, kYes };

// For a run with a selection that was not empty. If several codes apply, the first of this order
// wins: 130/143, 70 of many attempts (BreaksRun), 1, 70, 3, 6, 2, 0.
ExitCode Decide(const RunRecord& record, Strict strict);

}  // namespace watchproof
