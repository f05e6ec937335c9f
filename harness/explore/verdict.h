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

struct BrokenGuarantee {
  std::string guarantee;
  std::string watch;
  std::string expected;
  std::string observed;
  std::string signature = {};  // of a known bug, see checkers/known_bugs.h
  Duration at = {};            // when it showed, in the recording
  std::string promise = {};    // what it broke; empty: that has no words beyond `expected`
  // The recording is the proof. It is none of what did not come and may only have been late.
  bool proven = true;
};
BrokenGuarantee BrokenBy(const Finding& finding);
struct Verdict {
  std::vector<BrokenGuarantee> findings;
  std::vector<std::string> undecided;
};

// By every guarantee, of watches and of key-value calls; of a recording under virtual time.
// Recommendations that were not followed count too. Requires: the first line is that of the run.
Verdict JudgeLines(const std::vector<NumberedEntry>& lines);

// For grouping: "revision 7 of \"a\"" becomes "revision N of \"...\"".
std::string WithoutNumbers(std::string_view text);
// Equal for findings of one kind: the guarantee, and what was expected without the numbers and keys
// in it, and of the same signature.
std::string ShapeOf(const BrokenGuarantee& broken);

}  // namespace watchproof::explore
