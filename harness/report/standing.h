// SPDX-License-Identifier: Apache-2.0
// The standing promises that a target broke beside what its cases are about: each is a failure of
// its own, once for each target, as the result of a case of its name.
//
//   for (AttemptResult& result : BrokenPromises(record.attempts)) ...
//   record.cases.push_back(StandingCase(result.case_name));
//
// Threads: pure functions.
#pragma once

#include <string>
#include <vector>

#include "harness/report/run_record.h"

namespace watchproof {

// A result for each promise that attempts which were set apart (results/result.h) show as broken:
// with the findings, folder, seed and version of the first that shows it, and in how many cases it
// was broken. In the order of the attempts.
std::vector<AttemptResult> BrokenPromises(const std::vector<AttemptSummary>& attempts);

CaseSummary StandingCase(const std::string& name);

// Puts what the attempts broke in the place of earlier such results, known as they were.
void RenewBrokenPromises(RunRecord& record);

// The case with the attempt that shows it, by its folder; the name itself of any other case.
std::string CaseThatShows(const RunRecord& record, const AttemptResult& result);

}  // namespace watchproof
