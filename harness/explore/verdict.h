// SPDX-License-Identifier: Apache-2.0
// What exploration uses of the oracle: a recording in, findings out.
//
//   const Verdict verdict = JudgeLines(recording.lines());
//
// Threads: pure functions.
#pragma once

#include <string>
#include <vector>

#include "harness/checkers/finding.h"
#include "harness/history/recorder.h"

namespace watchproof::explore {

struct Verdict {
  std::vector<Finding> findings;
  std::vector<std::string> undecided;
};

// By every guarantee, of watches and of key-value calls; of a recording under virtual time.
// Recommendations that were not followed count too. Requires: the first line is that of the run.
Verdict JudgeLines(const std::vector<NumberedEntry>& lines);

// For grouping: "revision 7 of \"a\"" becomes "revision N of \"...\"".
std::string WithoutNumbers(std::string_view text);
// Equal for findings of one kind: the guarantee, and what was expected without the numbers and keys
// in it, and of the same signature.
std::string ShapeOf(const Finding& finding);

}  // namespace watchproof::explore
