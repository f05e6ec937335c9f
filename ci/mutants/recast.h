// SPDX-License-Identifier: Apache-2.0
// Adapts the client's requests to a mutant: with the mutant's messages the client would have
// resumed at another revision.
//
//   Recast(recording.lines, mutant.lines);
//
// No target can make a recording in which a watch stops at one revision and its successor starts at
// another one: that is the client's choice. So the start of each resuming watch is moved to where
// its predecessor stops in the mutant, along the whole chain.
// Threads: function without state.
#pragma once

#include <vector>

#include "harness/history/recorder.h"

namespace watchproof {

// Requires: `spoiled` holds the creates of `lines`, in their order.
void Rewrite(const std::vector<NumberedEntry>& lines, std::vector<NumberedEntry>& spoiled);

}  // namespace watchproof
