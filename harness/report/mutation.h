// SPDX-License-Identifier: Apache-2.0
// The mutation table: which planted defect was caught by which guarantees, in which cases, and
// whether there were findings on the clean store.
//
//   MutationTable table = Mutations(record);     // of a run with defects
//   if (!table.AllCaught()) ...
//   out << MutationText(record, style);
//
// A guarantee catches a defect only by a finding: an inconclusive attempt or a harness error
// catches nothing. Threads: pure functions.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "harness/history/json_fields.h"
#include "harness/report/run_record.h"
#include "harness/report/terminal.h"

namespace watchproof {

// A guarantee and the cases in which it was found broken.
struct CaughtBy {
  std::string guarantee;
  std::vector<std::string> cases;  // by name; empty: in none
};

enum class Catch {
  kCaught,        // by every guarantee that the defect declares
  kInPart,        // by some of them
  kByOthersOnly,  // by none of them, but by others
  kMissed,
};
std::string_view Word(Catch outcome);

struct DefectRow {
  DefectSummary defect;
  std::vector<CaughtBy> declared;  // one per declared guarantee, in its order
  std::vector<CaughtBy> others;    // by name
  Catch outcome = Catch::kMissed;
};

struct MutationTable {
  std::vector<DefectRow> rows;
  std::vector<CaughtBy> clean;  // what was found on the clean store
  int clean_attempts = 0;

  int caught() const;
  bool AllCaught() const { return caught() == static_cast<int>(rows.size()); }
  bool CleanIsClean() const { return clean.empty() && clean_attempts > 0; }
};
// Requires: record.defects is not empty.
MutationTable Mutations(const RunRecord& record);

// Null when no defect of the run is planted in that target.
const DefectSummary* PlantedIn(const RunRecord& record, std::string_view target);

// "Every one of 27 defects is caught and the clean store is left in peace".
std::string MutationSentence(const RunRecord& record);
std::string MutationText(const RunRecord& record, const TerminalStyle& style);
std::string MutationMarkdown(const RunRecord& record);
// As in run.json and on the page.
Json MutationJson(const RunRecord& record);

}  // namespace watchproof
