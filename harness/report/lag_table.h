// SPDX-License-Identifier: Apache-2.0
// How long watches waited, as a table to compare targets; not part of any verdict.
//
//   text += MarkdownTable(LagTable(record));   fmt::print("{}\n", LagSentence(lag));
//
// Threads: pure functions.
#pragma once

#include <string>

#include "harness/report/run_record.h"
#include "harness/report/text.h"

namespace watchproof {

// Without rows if nothing was delivered in the whole run.
Table LagTable(const RunRecord& record);
inline constexpr std::string_view kLagExplain =
    "Delay: from the answer to a write to its delivery to a watch. Spread: among the watches of "
    "one stream, the slowest one's 99th percentile minus the fastest one's. Recovery: how long "
    "after a fault was healed a watch still received older events. Behind: how many revisions the "
    "store was ahead of an event. Memory: the most that the target used while a fault was armed, "
    "by its own metric, and the increase over its use before. Measured during the faults of the "
    "cases; for comparison, not judged.";
// The delays of one recording.
std::string LagSentence(const Lag& lag);

}  // namespace watchproof
