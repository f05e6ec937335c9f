// SPDX-License-Identifier: Apache-2.0
// What went wrong in a run, grouped by cause: the failures of one guarantee with one expectation,
// whatever the keys, revisions and numbers in it, and what ended for one reason.
//
//   for (const Cause& cause : CausesOf(rows)) ... cause.text, cause.cases.size(), cause.first
//
// Threads: pure functions. Ownership: causes point into the rows.
#pragma once

#include <map>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "harness/report/rows.h"

namespace watchproof {

// Attempts with the same have one cause.
using CauseKey = std::tuple<Outcome, std::string, std::string>;

struct Cause {
  Outcome outcome;
  std::string text;         // "Ordered: expected ..., observed ..." of the first; or the reason
  const AttemptRow* first;  // that shows it
  std::size_t finding = 0;  // N of RUN#N, of that attempt's first; 0: it has none
  CountedPairs attempts{};
  std::vector<std::string> cases;   // in the order in which they ended
  std::vector<std::string> labels;  // of the targets, likewise
};

// Outcomes from inconclusive on, the weightiest first; of failures the gravest guarantee first,
// then what most cases show.
std::vector<Cause> CausesOf(const ReportRows& rows);

// The causes that have come up so far, as attempts end one after the other. Not thread-safe.
class CausesSeen {
 public:
  // The case that had the cause of this attempt first, on the same target; empty: this is the
  // first, or it ended well.
  std::string FirstWith(const AttemptRow& row);

 private:
  std::map<std::pair<std::string, CauseKey>, std::string> first_;  // by target
};

}  // namespace watchproof
