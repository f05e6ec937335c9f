// SPDX-License-Identifier: Apache-2.0
// Writes that every open watch must receive, or must not.
//
//   Probe(driver);   // after anything that may have left a watch asleep
//
// Not thread-safe.
#pragma once

#include "harness/promises/driver.h"

namespace watchproof {

// The first key of each range that an open watch has, and the one behind its end: they are put, and
// deleted, and each watch must receive what is in its range.
void Probe(Driver& driver);

// The keys of that: of some ranges, if there are many.
std::set<std::string> KeysToProbe(Driver& driver);

// The open watches.
std::vector<WatchRef> OpenWatches(Driver& driver);

}  // namespace watchproof
