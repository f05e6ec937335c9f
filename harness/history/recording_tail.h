// SPDX-License-Identifier: Apache-2.0
// The last lines that this process recorded, in brief. A failed check prints them, because the last
// second of a recording is not in its file yet when the process aborts.
//
//   PrintTailIfACheckFails();
//   NoteForTail(line, entry);   // each line
//
// Threads: any; takes no lock, because a failed check may happen under any lock. A line that is
// noted at the same moment may be missing or incomplete.
#pragma once

#include "harness/history/entry.h"

namespace watchproof {

void PrintTailIfACheckFails();
void NoteForTail(Line line, const Entry& entry);

}  // namespace watchproof
