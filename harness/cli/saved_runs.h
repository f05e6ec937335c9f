// SPDX-License-Identifier: Apache-2.0
// Runs that are read back, with what this executable knows of their cases.
//
//   WP_ASSIGN_OR_RETURN(std::vector<RunRecord> runs, ReadRuns({"watchproof-runs/latest"}));
//
// Threads: functions without state.
#pragma once

#include <string>
#include <vector>

#include "harness/base/status.h"
#include "harness/report/run_record.h"

namespace watchproof {

// What this executable knows of a case by its name.
CaseSummary DescribeCase(const std::string& name);
// In the order of the folders, which no run removes while this process reads them. Errors name the
// folder and what was expected.
Result<std::vector<RunRecord>> ReadRuns(const std::vector<std::string>& folders);

// Leaves the cases that match the pattern, if it is not empty. An error: none does.
Status KeepCases(const std::string& pattern, RunRecord& record);

}  // namespace watchproof
