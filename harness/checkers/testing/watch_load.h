// SPDX-License-Identifier: Apache-2.0
// Makes a recording, without its end, of many watchers of one correct store: for measuring the
// judge.
//
//   MakeWatchLoad({.watchers = 1000, .events = 200'000}, [&](Entry entry) { ... });
//
// Entries are made one by one and kept nowhere, so that loads may be larger than memory. Values
// have 100 bytes, lines are 1 µs apart. Threads: function without state.
#pragma once

#include <cstdint>
#include <functional>

#include "harness/history/entry.h"

namespace watchproof {

struct WatchLoad {
  std::size_t watchers = 1000;
  std::size_t events = 200'000;  // at least so many, over all watchers
  // Otherwise all watch one key. Ranges begin at random and hold up to 20 of 1000 keys.
  bool random_ranges = false;
  bool previous_values = false;
  // The answer to each write comes after its events, as is usual.
  bool late = false;
  // Compacts to the current revision after this many writes; 0: never.
  std::size_t compact_every = 0;
};

// Returns how many events there were.
std::size_t MakeWatchLoad(const WatchLoad& load, const std::function<void(Entry)>& take);

}  // namespace watchproof
