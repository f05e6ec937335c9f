// SPDX-License-Identifier: Apache-2.0
// Judges the key-value calls of a recording by revision, once it has ended.
//
//   const CallsJudged calls = JudgeCalls(facts, checkers);
//
// Every answer names the revision of the state that it came from. The calls are sorted by these
// revisions and gone through once, while the state of all keys is maintained: n log n for n calls,
// plus the size of their answers. Threads: a function without state.
#pragma once

#include <memory>
#include <vector>

#include "harness/checkers/checker.h"

namespace watchproof {

using Checkers = std::vector<std::unique_ptr<Checker>>;

// The findings are those of the checkers.
CallsJudged JudgeCalls(const Facts& facts, const Checkers& checkers);

}  // namespace watchproof
