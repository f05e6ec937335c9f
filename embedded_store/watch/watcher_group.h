// SPDX-License-Identifier: Apache-2.0
// Watchers grouped by their spec, so that a change finds the watchers it concerns without visiting
// the others, and its events are put together once for all watchers with the same spec.
//
//   Interest& interest = group.Join(spec);
//   interest.Add(watcher);                                    // from now on fed at commit
//   group.VisitWatching("k", [](Interest& interest) { ... }); // must not join or leave
//
// Single keys are found by hashing, ranges in an interval tree.
// Not thread-safe. Ownership: owns the interests, from the first watcher that joins to the last
// that leaves; borrows the watchers.
#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

#include "embedded_store/watch/event_batch.h"
#include "embedded_store/watch/interval_tree.h"
#include "embedded_store/watch/watcher.h"

namespace watchproof::store {

// The common part of watchers with exactly the same pending events.
struct Interest {
  const KeyRange range;
  const bool previous_values;
  const bool fragment;
  const bool no_puts;
  const bool no_deletes;

  std::size_t members = 0;       // in whatever state
  std::vector<Watcher*> synced;  // those that are fed at commit

  // Of the commits that are being fed.
  std::vector<PendingEvent> matched;
  // The piece of history that was last put together for one of them: all from `from` to `to`.
  struct Piece {
    Revision from{0};
    Revision to{0};
    std::vector<BatchPtr> batches;
  };
  Piece piece;

  bool SameAs(const WatchSpec& spec) const;
  bool WantsKind(ChangeKind kind) const {
    return kind == ChangeKind::kPut ? !no_puts : !no_deletes;
  }
  bool Wants(const Change& change) const {
    return WantsKind(change.kind) && range.Contains(change.kv.key);
  }
  void Add(Watcher& watcher);
  // Requires: it was added.
  void Remove(Watcher& watcher);
};

class WatcherGroup {
 public:
  Interest& Join(const WatchSpec& spec);
  // The interest is gone when its last member has left.
  void Leave(Interest& interest);
  bool empty() const { return by_key_.empty() && by_range_.empty(); }

  template <typename Visitor>
  void VisitWatching(const std::string& key, Visitor&& visit) const {
    const auto visit_all = [&visit](const Interests& interests) {
      for (const auto& interest : interests) visit(*interest);
    };
    if (const auto found = by_key_.find(key); found != by_key_.end()) visit_all(found->second);
    by_range_.VisitHolding(key, visit_all);
  }

 private:
  // Of one range; as many as there are combinations of flags in use.
  using Interests = std::vector<std::unique_ptr<Interest>>;
  Interests& Of(const KeyRange& range) {
    return range.single() ? by_key_[range.begin] : by_range_[range];
  }

  std::unordered_map<std::string, Interests> by_key_;
  IntervalTree<Interests> by_range_;
};

}  // namespace watchproof::store
