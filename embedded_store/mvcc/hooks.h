// SPDX-License-Identifier: Apache-2.0
// The points at which someone outside may bend what the store and its watch layer do.
//
//   class Forgetful final : public Hooks { NoticeFate OnNoticeRefused() override { ... } };
//
// Every default is the correct behaviour. The layers call a hook and do what it says; who stands
// behind it is not their business. Hooks decide, they touch nothing and call nothing back. Threads:
// called from the hub thread only. Ownership: the caller's, longer-lived than store and hub.
#pragma once

#include "embedded_store/mvcc/key_range.h"

namespace watchproof::store {

// What becomes of a watcher whose ErrCompacted found no room in the queue of its stream.
enum class NoticeFate {
  kTryAgain,   // it stays behind, and the notice is offered again in a later step
  kForgotten,  // it counts as caught up at the current revision and never learns what it missed
};

// Which way the answer to a progress request takes.
enum class ProgressRoad {
  kBehindEvents,  // only when every watcher of the stream has caught up, through the queue of the
                  // events
  kAtOnce,        // always, past everything that waits
};

class Hooks {
 public:
  virtual ~Hooks() = default;
  // A sync step could not queue a compaction notice because the stream's queue was full.
  virtual NoticeFate OnNoticeRefused() { return NoticeFate::kTryAgain; }
  // A client asked for the progress of its stream.
  virtual ProgressRoad OnProgressRequested() { return ProgressRoad::kBehindEvents; }
  // A user wants to watch `range`, or goes on watching it after rights have changed: the range that
  // the user must be allowed to read for it.
  virtual KeyRange OnWatchAuthorized(const KeyRange& range) { return range; }
};

}  // namespace watchproof::store
