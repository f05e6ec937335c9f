// SPDX-License-Identifier: Apache-2.0
// Watches that standing promises make, on streams that the script left open.
//
//   for (const UsedStream& on : UsedStreams(driver)) {
//     made.push_back(CreateOn(driver, on, on.range, {.start = driver.floor()}));
//   }
//   AwaitAnswered(driver, made);
//
// Not thread-safe.
#pragma once

#include "harness/promises/driver.h"

namespace watchproof {

// A stream that takes requests, the range of its latest watch, and the ids of all of them.
struct UsedStream {
  StreamId stream{};
  KeyRange range;
  std::set<std::int64_t> in_use;
  std::set<std::int64_t> free;  // that were used, and no watch has now
};

std::vector<UsedStream> UsedStreams(Driver& driver);

WatchRef CreateOn(Driver& driver, const UsedStream& on, const KeyRange& range, WatchCreate watch);

// Until each has been created or refused, and those below the floor have ended.
void AwaitAnswered(Driver& driver, const std::vector<WatchRef>& watches,
                   const std::vector<WatchRef>& below_floor = {});

// Cancels them, and waits for the answers.
void CancelAndAwait(Driver& driver, const std::vector<WatchRef>& watches);

}  // namespace watchproof
