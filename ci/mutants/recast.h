// SPDX-License-Identifier: Apache-2.0
// The client's part in a mutant: had it been told what the mutant says, it would have asked on from
// there.
//
//   Recast(recording.lines, mutant.lines);
//
// A recording in which a watch stops at one place and its successor asks from another is no
// mutant of what a target says: no target can bring it about. So the starts of the watches that
// take over from others are moved to where the mutant lets those stop, along the whole chain.
// Threads: function without state.
#pragma once

#include <vector>

#include "harness/history/recorder.h"

namespace watchproof {

// Requires: `spoiled` holds the creates of `lines`, in their order.
void Rewrite(const std::vector<NumberedEntry>& lines, std::vector<NumberedEntry>& spoiled);

}  // namespace watchproof
