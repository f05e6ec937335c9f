// SPDX-License-Identifier: Apache-2.0
// How long watches waited, as a table to compare targets; not part of any verdict.
//
//   text += LagMarkdown(record);   text += LagHtml(record);   fmt::print("{}\n", LagSentence(lag));
//
// Threads: pure functions.
#pragma once

#include <string>

#include "harness/report/run_record.h"

namespace watchproof {

// Empty if nothing was delivered in the whole run.
std::string LagMarkdown(const RunRecord& record);
std::string LagHtml(const RunRecord& record);
// Of one recording.
std::string LagSentence(const Lag& lag);

}  // namespace watchproof
