// SPDX-License-Identifier: Apache-2.0
// What a run prints at its end: what was found, how often, and what to do next.
//
//   out << LastScreen(record, style);
//
// Threads: pure functions.
#pragma once

#include <string>

#include "harness/report/run_record.h"
#include "harness/report/terminal.h"

namespace watchproof {

// The matrix of several targets; the bugs that known failures show, the causes of all others with
// the number of a finding, counts, the path of the report, the seed last. Quiet: one line for the
// bugs, and no matrix.
std::string LastScreen(const RunRecord& record, const TerminalStyle& style, bool quiet = false);

}  // namespace watchproof
