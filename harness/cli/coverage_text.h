// SPDX-License-Identifier: Apache-2.0
// What a passive recording shows and what it cannot show, in words.
//
//   for (const std::string& line : CoverageLines(judged)) fmt::print("  {}\n", line);
//   if (const std::string why = WhyNothingIsProven(judged); !why.empty()) ...   // inconclusive
//
// Threads: functions without state. Requires: the recording is passive.
#pragma once

#include <string>
#include <vector>

#include "harness/checkers/oracle.h"

namespace watchproof {

std::vector<std::string> CoverageLines(const JudgedRecording& judged);
// Why a recording without a finding is no pass; empty: it is one, of what it shows.
std::string WhyNothingIsProven(const JudgedRecording& judged);

}  // namespace watchproof
