// SPDX-License-Identifier: Apache-2.0
// Watchers by what they watch, so that a change finds its watchers without asking all of them.
//
//   group.Add(watcher);
//   group.VisitWatching("k", [](Watcher& watcher) { ... });   // must not add or remove
//
// Watchers of one key are found by hashing; ranges lie in a list sorted by their first key, of
// which the part at or below the changed key is walked. Watchers of equal ranges share one entry.
// Not thread-safe. Ownership: borrows the watchers.
#pragma once

#include <cstddef>
#include <map>
#include <string>
#include <unordered_map>
#include <vector>

#include "embedded_store/watch/watcher.h"

namespace watchproof::store {

class WatcherGroup {
 public:
  void Add(Watcher& watcher);
  // Requires: it was added.
  void Remove(Watcher& watcher);
  std::size_t size() const { return size_; }

  template <typename Visitor>
  void VisitWatching(const std::string& key, Visitor&& visit) const {
    if (const auto found = by_key_.find(key); found != by_key_.end()) {
      for (Watcher* watcher : found->second) visit(*watcher);
    }
    for (const auto& [range, watchers] : by_range_) {
      if (range.begin > key) break;
      if (!range.Contains(key)) continue;
      for (Watcher* watcher : watchers) visit(*watcher);
    }
  }

 private:
  using Bucket = std::vector<Watcher*>;
  static void Erase(Bucket& bucket, const Watcher& watcher);

  std::unordered_map<std::string, Bucket> by_key_;
  std::map<KeyRange, Bucket> by_range_;
  std::size_t size_ = 0;
};

}  // namespace watchproof::store
