// SPDX-License-Identifier: Apache-2.0
// What a disk did, for a picture of it: syncs, calls that were held or refused, the call at which
// the program was killed, what a power failure took.
//
//   DiskLog log;
//   log.Add({.kind = DiskSpanKind::kSync, .from = began, .until = Clock::now(), .what = "..."});
//   for (const DiskSpan& span : log.Take()) ...
//
// It keeps 256 spans at most: when it is full, neighbours of one kind and one class of files become
// one, first those that are shortest and closest together, so that a call that took long stays
// alone. Kills, losses and starts are never joined, and nothing is joined across them; if they
// alone fill it, what comes later is left out.
//
// Not thread-safe. Ownership: values.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "harness/base/deadline.h"

namespace watchproof::proxy {

enum class DiskSpanKind {
  kSync,        // also a write that is one
  kHeld,        // another call that an effect has held
  kRefused,     // it returned an error
  kForgotten,   // a sync that has kept nothing
  kUnfinished,  // a call that was held when the program ended, and was not carried out
  kKilled,      // an effect killed the program
  kLost,        // the power failed: from the oldest change that it took to its failure
  kStarted,     // the program was started again
};
inline constexpr std::string_view kDiskSpanKinds[] = {
    "sync", "held", "refused", "forgotten", "unfinished", "killed", "lost", "started"};
constexpr std::string_view Name(DiskSpanKind kind) {
  return kDiskSpanKinds[static_cast<std::size_t>(kind)];
}

// One call, or several in a row.
struct DiskSpan {
  DiskSpanKind kind = DiskSpanKind::kSync;
  TimePoint from{};
  TimePoint until{};         // as `from`: a moment
  std::size_t of_class = 0;  // of its file: see ClassOf
  std::int64_t count = 1;    // calls; of a loss: changes
  std::int64_t bytes = 0;    // that were lost
  Duration longest{};        // of these calls
  std::string what = {};     // "sync of member/wal/0.wal", or all that was lost; empty: of several
};

class DiskLog {
 public:
  explicit DiskLog(std::size_t most = 256) : most_(most) {}

  void Add(DiskSpan span);
  // By time, and leaves it empty.
  std::vector<DiskSpan> Take();

 private:
  const std::size_t most_;
  std::vector<DiskSpan> spans_;
};

}  // namespace watchproof::proxy
