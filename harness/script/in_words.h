// SPDX-License-Identifier: Apache-2.0
// Steps of a script as a person would write them down: "put a/1 (100 times)", "watch every key on
// stream 1 from the latest revision - 2". The latest revision is the last one that clients know,
// the floor that of the last compaction.
//
//   for (const Step& step : script.steps) fmt::print("{}\n", InWords(step));
//
// Threads: functions without state.
#pragma once

#include <string>

#include "harness/script/script.h"

namespace watchproof::explore {

std::string InWords(const Step& step);

}  // namespace watchproof::explore
