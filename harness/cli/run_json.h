// SPDX-License-Identifier: Apache-2.0
// The two documents that say what a run was asked to do: run.json, and the first line of
// plan.jsonl.
//
// Threads: pure functions.
#pragma once

#include <optional>
#include <string>

#include "harness/cli/run_options.h"
#include "harness/report/run_record.h"

namespace watchproof {

enum class Finished { kNo, kYes };

// Versions, seed, targets, flags with their origin, machine, times, exit code; the last two once
// finished.
std::string ToRunJson(const RunRecord& record, const RunOptions& options, Finished finished);
// The same for the same selection and seed, byte by byte: no times, no folder names.
std::string PlanHeader(const RunRecord& record, const RunOptions& options);
// The last document of `run --json`.
std::string SummaryJson(const RunRecord& record);

}  // namespace watchproof
