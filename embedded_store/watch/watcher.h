// SPDX-License-Identifier: Apache-2.0
// One watch of one stream, as the hub keeps it.
//
// Not thread-safe: belongs to the hub's thread. Ownership: its stream owns it; groups and lists
// only point to it.
#pragma once

#include <cstddef>
#include <list>
#include <optional>
#include <vector>

#include "embedded_store/watch/watch_types.h"

namespace watchproof::store {

struct WatchStream;

enum class WatcherState {
  kSynced,     // fed at commit, in the group
  kUnsynced,   // catching up from history
  kVictim,     // its queue was full: one reply is parked
  kCompacted,  // told that its history is gone; silent until it is canceled
};

struct Watcher {
  WatchStream& stream;
  const WatchId id;
  const WatchSpec spec;
  WatcherState state = WatcherState::kSynced;
  // The lowest revision it has not been given. A synced watcher has been given everything up to the
  // hub's revision, whatever stands here, unless this is higher: then it starts in the future.
  Revision next{0};
  // Only while it is a victim.
  std::optional<WatchReply> parked;
  // Whether events were queued for it since the last periodic progress tick.
  bool heard = false;

  // Places in the hub's containers, kept here so that leaving one is cheap.
  std::list<Watcher*>::iterator place;
  std::size_t slot = 0;
  // Events of the commit that is being matched.
  std::vector<Event> matched;

  bool Wants(const Change& change) const {
    if (change.kv.mod < next) return false;
    return change.kind == ChangeKind::kPut ? !spec.no_puts : !spec.no_deletes;
  }
  void Append(const Event& event, std::vector<Event>& to) const {
    to.push_back({event.change, spec.previous_values ? event.previous : nullptr});
  }
};

}  // namespace watchproof::store
