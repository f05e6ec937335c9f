// SPDX-License-Identifier: Apache-2.0
// One watch of one stream, as the hub keeps it: its spec and its position.
//
// Its size does not depend on what is written or on how slowly its client reads.
// Not thread-safe: belongs to the hub's thread. Ownership: its stream owns it; groups and lists
// only point to it.
#pragma once

#include <cstddef>
#include <list>

#include "embedded_store/watch/watch_types.h"

namespace watchproof::store {

struct WatchStream;
struct Interest;

enum class WatcherState {
  kSynced,     // fed at commit, in the group
  kUnsynced,   // catching up from history
  kVictim,     // the queue of its stream was full
  kCompacted,  // its notice was queued; silent until it is canceled
};

struct Watcher {
  WatchStream& stream;
  Interest& interest;
  const WatchId id;
  const WatchSpec spec;
  WatcherState state = WatcherState::kSynced;
  // The lowest revision it has not been given. A synced watcher has been given everything up to the
  // hub's revision, whatever the value here, unless this is higher: then it starts in the future.
  Revision next{0};
  // Whether events were queued for it since the last periodic progress tick.
  bool received = false;

  // Places in the containers of the hub, its stream and its interest, kept here so that leaving one
  // is cheap.
  std::list<Watcher*>::iterator place{};
  std::size_t slot = 0;
};

}  // namespace watchproof::store
