// SPDX-License-Identifier: Apache-2.0
// What every report shows of a run, formed once: attempts with their labels, the matrix of cases by
// targets, findings as rows of a name and a text. Formats only format.
//
//   const ReportRows rows = RowsOf(record);
//   for (const AttemptRow& row : rows.attempts) out << row.case_name << row.label;
//   for (const auto& [name, text] : FindingRows(finding)) out << name << text;
//
// Threads: pure functions. Ownership: rows point into the record.
#pragma once

#include <map>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "harness/checkers/guarantee.h"
#include "harness/report/run_record.h"

namespace watchproof {

// One attempt, whether it took place or not.
struct AttemptRow {
  Outcome outcome = Outcome::kNotRun;
  std::string case_name;
  std::string target;  // as given
  int attempt = 1;
  std::string label;                        // of the target, with the version that it reported
  const CaseSummary* note = nullptr;        // null: the case is not in the record
  const AttemptSummary* summary = nullptr;  // null: it did not take place
  std::string repeat = {};                  // the command that repeats it with the same plan
};

// All attempts of one case on one target.
struct Cell {
  Outcome outcome = Outcome::kNotRun;  // the weightiest
  int attempts = 0;
  int with_outcome = 0;  // how many of them had it
};
// "✗ FAIL 1/3"; the share only where there are several attempts.
std::string CellText(const Cell& cell);
struct MatrixRow {
  const CaseSummary* note = nullptr;
  std::vector<Cell> cells;  // one per target
};

struct ReportRows {
  std::vector<std::string> labels;  // of the targets, with the version that attempts reported
  std::vector<MatrixRow> matrix;
  std::vector<AttemptRow> attempts;  // in the order they ended, then those that did not take place
  // By target: "etcd 3.3.25 was found not to offer: leases (3 cases), users", where the target was
  // not stated to lack it.
  std::vector<std::string> missing;
};
ReportRows RowsOf(const RunRecord& record);
AttemptRow RowOf(const RunRecord& record, const AttemptSummary& attempt);

struct FindingRow {
  std::string_view name;
  std::string text;  // never empty
};
// In the order in which every format shows them.
std::vector<FindingRow> FindingRows(const FindingRecord& finding);
// The known bugs that explain it: "#18089", "GHSA-xg4h-6gfc-h4m8".
std::vector<std::string> BugNames(const AttemptResult& result);
// "#18089 a delete is lost": these, and the reason.
std::string NamedReason(const AttemptResult& result);
// That of its guarantee; that of the consumers' own is the least.
Gravity GravityOf(const FindingRecord& finding);
// What the findings have in a field, such as the known bugs that they look like.
std::set<std::string> TextsOf(const AttemptResult& result, std::string FindingRecord::*field);
// "Ordered: expected ..., observed ..." of its first finding; without any, the reason.
std::string Headline(const AttemptResult& result);
// The guarantee and its rows, a line each.
std::string ToText(const FindingRecord& finding);

// Cases with their targets, and how often such a pair failed in a way.
class CountedPairs {
 public:
  void Add(const AttemptRow& row) { ++failed_[{row.case_name, row.target}]; }
  std::size_t failed() const;
  // "in 3 of 60 attempts", of those that the pairs had in all; empty if each had one.
  std::string Text(const ReportRows& rows) const;

 private:
  std::map<std::pair<std::string, std::string>, std::size_t> failed_;
};

// At the end, unless it is among them.
void AddOnce(const std::string& text, std::vector<std::string>& texts);

// While no version is known.
std::string TargetLabel(const RunRecord& record, std::string_view target);
// A file of an attempt, from where the command was started.
std::string PathOf(const RunRecord& record, const AttemptResult& result, std::string_view file);

}  // namespace watchproof
