// SPDX-License-Identifier: Apache-2.0
// Whether an ErrCompacted is true, by the position of its watch: a part of CompactionSurfaced.
//
//   if (auto draft = WrongNotice(facts(), watch, response)) Add(watch, *std::move(draft));
//
// Threads: functions without state.
#pragma once

#include <optional>
#include <string>

#include "harness/checkers/facts.h"
#include "harness/checkers/findings.h"

namespace watchproof {

// The watch was ended too early, or with a wrong compact revision; empty: it was right.
std::optional<Draft> WrongNotice(const Facts& facts, WatchIndex watch, const Response& response);
// The compact revision in the message is not what was expected.
Draft WrongNumber(const Response& response, std::string expected, std::string_view addition = {});
// No request of the recording asked for the compaction, but others may have.
bool IsByOthers(const Facts& facts, Revision reported);

}  // namespace watchproof
