// SPDX-License-Identifier: Apache-2.0
// How a person sees a known bug: the case that shows it best, on which release, and the command.
//
//   CommandThatShows(bug, ReleaseThatShows(bug, {"3.5.30", "3.5.16"}));
//   // "watchproof run --target etcd@3.5.16 --filter Bookmarkable.FutureStart"
//
// Threads: pure.
#pragma once

#include <string>
#include <vector>

#include "harness/bugs/answer_key.h"

namespace watchproof {

// One that takes no consumer, and rather one that takes no luck. Null: no case shows the bug.
const ShownBy* BestCase(const Bug& bug);

// A command that most likely shows the bug on the release, "3.5.16". Empty if no case shows it, or
// the release does not have it.
std::string CommandThatShows(const Bug& bug, const std::string& version);

// The first of `preferred` that has the bug, or else another release that does. Empty: no release
// that is known by its number has it.
std::string ReleaseThatShows(const Bug& bug, const std::vector<std::string>& preferred);

}  // namespace watchproof
