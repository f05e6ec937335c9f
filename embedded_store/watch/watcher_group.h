// SPDX-License-Identifier: Apache-2.0
// Watchers, and their groups by spec: a change finds the watchers it concerns without visiting
// the others, and its events are put together once for all watchers with the same spec.
//
//   Interest& interest = group.Join(spec);
//   interest.Add(watcher);                                    // from now on fed at commit
//   group.VisitWatching("k", [](Interest& interest) { ... }); // must not join or leave
//
// Single keys are found by hashing, ranges in an interval tree.
// Not thread-safe. Ownership: owns the interests, from the first watcher that joins to the last
// that leaves; borrows the watchers, which their streams own.
#pragma once

#include <cstddef>
#include <list>
#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

#include "embedded_store/watch/interval_tree.h"
#include "embedded_store/watch/watch_types.h"
#include "harness/base/check.h"

namespace watchproof::store {

struct WatchStream;
struct Interest;

enum class WatcherState {
  kSynced,     // fed at commit, in the group
  kUnsynced,   // catching up from history
  kVictim,     // the queue of its stream was full
  kCompacted,  // its notice was queued; silent until it is canceled
};

// One watch of one stream, as the hub keeps it: its spec and its position. Its size does not depend
// on what is written or on how slowly its client reads.
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

// The common part of watchers with exactly the same pending events.
struct Interest {
  const KeyRange range;
  const bool previous_values;
  const bool fragment;
  const bool no_puts;
  const bool no_deletes;

  std::size_t members = 0;       // in whatever state
  std::vector<Watcher*> synced;  // those that are fed at commit

  // What of the commits that are being fed matched.
  std::vector<PendingEvent> matched;
  // The piece of history that was last put together for one of them: all from `from` to `to`.
  struct Piece {
    Revision from{0};
    Revision to{0};
    std::vector<BatchPtr> batches;
  };
  Piece piece;

  bool SameAs(const WatchSpec& spec) const {
    return previous_values == spec.previous_values && fragment == spec.fragment &&
           no_puts == spec.no_puts && no_deletes == spec.no_deletes && range == spec.range;
  }
  bool WantsKind(ChangeKind kind) const {
    return kind == ChangeKind::kPut ? !no_puts : !no_deletes;
  }
  bool Wants(const Change& change) const {
    return WantsKind(change.kind) && range.Contains(change.kv.key);
  }
  void Add(Watcher& watcher) {
    watcher.slot = synced.size();
    synced.push_back(&watcher);
  }
  // Requires: it was added.
  void Remove(Watcher& watcher) {
    WP_CHECK(synced[watcher.slot] == &watcher, "the watcher is where it says");
    synced[watcher.slot] = synced.back();
    synced[watcher.slot]->slot = watcher.slot;
    synced.pop_back();
  }
};

class WatcherGroup {
 public:
  Interest& Join(const WatchSpec& spec) {
    Interests& interests = Of(spec.range);
    for (const auto& interest : interests) {
      if (!interest->SameAs(spec)) continue;
      ++interest->members;
      return *interest;
    }
    interests.push_back(std::make_unique<Interest>(Interest{.range = spec.range,
                                                            .previous_values = spec.previous_values,
                                                            .fragment = spec.fragment,
                                                            .no_puts = spec.no_puts,
                                                            .no_deletes = spec.no_deletes,
                                                            .members = 1}));
    return *interests.back();
  }
  // The interest is gone when its last member has left.
  void Leave(Interest& interest) {
    WP_CHECK(interest.members > 0, "only a member can leave");
    if (--interest.members > 0) return;
    const KeyRange range = interest.range;
    Interests& interests = Of(range);
    std::erase_if(interests, [&](const auto& one) { return one.get() == &interest; });
    if (!interests.empty()) return;
    if (range.single()) {
      by_key_.erase(range.begin);
    } else {
      by_range_.Erase(range);
    }
  }

  template <typename Visitor>
  void VisitWatching(const std::string& key, Visitor&& visit) const {
    const auto visit_all = [&visit](const Interests& interests) {
      for (const auto& interest : interests) visit(*interest);
    };
    if (const auto found = by_key_.find(key); found != by_key_.end()) visit_all(found->second);
    by_range_.VisitHolding(key, visit_all);
  }

 private:
  // The interests in one range: as many as there are combinations of flags in use.
  using Interests = std::vector<std::unique_ptr<Interest>>;
  Interests& Of(const KeyRange& range) {
    return range.single() ? by_key_[range.begin] : by_range_[range];
  }

  std::unordered_map<std::string, Interests> by_key_;
  IntervalTree<Interests> by_range_;
};

}  // namespace watchproof::store
