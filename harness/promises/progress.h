// SPDX-License-Identifier: Apache-2.0
// Progress on streams with nothing left to deliver.
//
//   RequireProgressOfAll(driver);
//
// Not thread-safe.
#pragma once

#include "harness/promises/driver.h"

namespace watchproof {

// Streams with an open watch.
struct QuietStreams {
  std::set<StreamId> started;   // every watch of it has
  std::set<StreamId> next;      // with the next revision every watch of it will have
  std::set<StreamId> later;     // the others
  std::set<StreamId> periodic;  // of those that have started, with a watch that asked for progress
};
QuietStreams QuietStreamsOf(Driver& driver);

// Progress is requested on each stream with an open watch, unless one of them starts later: a
// server cannot report progress to such a watch. One that starts with the next revision, as a watch
// from now on does, is given that first.
void RequireProgressOfAll(Driver& driver);

}  // namespace watchproof
