// SPDX-License-Identifier: Apache-2.0
// Runs beside each other: how often each case passed in each of them, and what changed from the
// first to the last.
//
//   const RunComparison found = Compare({before, after});
//   fmt::print("{}", ToText(found, Rows::kChanged));
//
// Attempts without a pass or a failure count for nothing. Runs of one target each are compared
// whatever their targets are; otherwise targets are the same if their specs are.
// Threads: pure functions.
#pragma once

#include <set>
#include <string>
#include <vector>

#include "harness/report/run_record.h"
#include "harness/statistics/proportion.h"

namespace watchproof {

// Between two runs, in order of weight.
enum class Difference {
  kNone,
  kNotCompared,  // one of them has no attempt that passed or failed
  kGone,         // a failure that does not show any more
  kFailsLess,    // the intervals are apart
  kFailsMore,
  kChangedFailure,  // other guarantees are broken, or one as no known bug breaks it
  kNewFailure,
};
std::string_view Name(Difference change);  // "new failure", "fails more"

// How one case ended on one target in one run.
struct Rate {
  int passed = 0;
  int failed = 0;
  int undecided = 0;                  // neither; also what could not run
  std::set<std::string> guarantees;   // that were broken
  std::set<std::string> unexplained;  // of these, those with a finding that looks like no known bug
  std::set<std::string> resemblance;  // the known bugs that findings look like
  std::string repeat;                 // of the first failure

  Proportion counted() const { return {.hits = passed, .trials = passed + failed}; }
};

struct ComparedRow {
  std::string case_name;
  std::string target;       // empty: one per run
  std::vector<Rate> rates;  // by run
  Difference change = Difference::kNone;
};

struct ComparedRun {
  std::string id;
  std::string folder;
  std::vector<std::string> labels;  // of its targets
  std::size_t attempts = 0;
};

struct RunComparison {
  std::vector<ComparedRun> runs;
  std::vector<ComparedRow> rows;  // the weightiest changes first
  // What changed of known failures between the first and the last run: see known_shift.h.
  std::vector<std::string> known_shifts{};

  // Whether something fails that did not, or more often, or in another way.
  bool Worse() const;
};

// Requires: at least two.
RunComparison Compare(const std::vector<RunRecord>& runs);

enum class Rows { kChanged, kAll };
std::string ToText(const RunComparison& comparison, Rows rows);
std::string ToMarkdown(const RunComparison& comparison, Rows rows);
// One document with every row.
std::string ToJson(const RunComparison& comparison);

}  // namespace watchproof
