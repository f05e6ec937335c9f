// SPDX-License-Identifier: Apache-2.0
// The known failures of a run, by the bugs that they show: the costliest first.
//
//   for (const BugRow& row : BugsShown(record)) ... row.name, row.cost, row.cases.size()
//
// Threads: pure functions. Ownership: rows own what they hold.
#pragma once

#include <string>
#include <vector>

#include "harness/bugs/answer_key.h"
#include "harness/report/rows.h"
#include "harness/report/run_record.h"

namespace watchproof {

struct BugRow {
  std::string name;  // "#20221"; empty: failures that a baseline accepts
  Cost cost = Cost::kNoise;
  std::string impact;               // for operators; of accepted failures the reason
  std::string fixed{};              // the first release without it, for these targets; empty: none
  std::string url{};                // where to read more; may be empty
  std::vector<std::string> cases;   // that show it, in the order in which they ended
  std::vector<std::string> labels;  // of the targets that show it, likewise
  CountedPairs attempts{};
};
std::vector<BugRow> BugsShown(const RunRecord& record);

// The number of attempts that failed as known.
std::size_t KnownFailures(const RunRecord& record);

// "14 known failures are 9 bugs"
std::string BugsShownText(const RunRecord& record, const std::vector<BugRow>& rows);

}  // namespace watchproof
