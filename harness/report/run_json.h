// SPDX-License-Identifier: Apache-2.0
// The two documents with the options of a run: run.json, and the first line of plan.jsonl.zst.
//
// Threads: pure functions.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "harness/report/run_record.h"

namespace watchproof {

enum class Finished { kNo, kYes };

// The part of a run.json that is needed to repeat an attempt.
struct RepeatSummary {
  std::vector<std::string> flags;  // the words of those that may change a verdict
  std::string working_folder;      // which relative paths among them start from
};
// What a run.json says about repeating its run. Errors name what is wrong with it.
Result<RepeatSummary> ParseRepeatSummary(const std::string& run_json);

// Versions, seed, targets, flags with their origin, machine, times, exit code; the last two once
// finished.
std::string ToRunJson(const RunRecord& record, Finished finished);
// The same for the same selection and seed, byte by byte: no times, no folder names.
std::string ToPlanHeader(const RunRecord& record);
// The last document of `run --json`.
std::string SummaryJson(const RunRecord& record);

// One object on one line; `facts` become an object of their own, if there are any.
using TextFields = std::vector<std::pair<std::string, std::string>>;
std::string ToJsonObject(const TextFields& fields, const TextFields& facts = {});

}  // namespace watchproof
