// SPDX-License-Identifier: Apache-2.0
// The last lines that this process recorded, in brief: what a failed check prints, since the last
// second of a recording is not in its file yet when the process ends itself.
//
//   PrintTailIfACheckFails();
//   NoteForTail(line, entry);   // each line
//
// Threads: any, and nothing is ever locked: whoever fails a check may hold every lock there is. A
// line that is noted at that very moment may be missing or in pieces.
#pragma once

#include "harness/history/entry.h"

namespace watchproof {

void PrintTailIfACheckFails();
void NoteForTail(Line line, const Entry& entry);

}  // namespace watchproof
