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
};
BrokenGuarantee BrokenBy(const Finding& finding);
struct Verdict {
  std::vector<BrokenGuarantee> findings;
  std::vector<std::string> undecided;
};

// By every guarantee, of watches and of key-value calls. Recommendations that were not followed
// count too. Requires: the first line is that of the run.
Verdict JudgeLines(const std::vector<NumberedEntry>& lines);

// Equal for findings of one kind: the guarantee, and what was expected and observed without the
// numbers and keys in it, and of the same signature.
std::string ShapeOf(const BrokenGuarantee& broken);

}  // namespace watchproof::explore
