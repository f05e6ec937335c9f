// SPDX-License-Identifier: Apache-2.0
#include "embedded_store/watch/watcher_group.h"

#include "harness/base/check.h"

namespace watchproof::store {

void WatcherGroup::Add(Watcher& watcher) {
  const KeyRange& range = watcher.spec.range;
  Bucket& bucket = range.single() ? by_key_[range.begin] : by_range_[range];
  watcher.slot = bucket.size();
  bucket.push_back(&watcher);
  ++size_;
}

void WatcherGroup::Remove(Watcher& watcher) {
  const KeyRange& range = watcher.spec.range;
  if (range.single()) {
    const auto found = by_key_.find(range.begin);
    WP_CHECK(found != by_key_.end(), "the watcher is in the group");
    Erase(found->second, watcher);
    if (found->second.empty()) by_key_.erase(found);
  } else {
    const auto found = by_range_.find(range);
    WP_CHECK(found != by_range_.end(), "the watcher is in the group");
    Erase(found->second, watcher);
    if (found->second.empty()) by_range_.erase(found);
  }
  --size_;
}

void WatcherGroup::Erase(Bucket& bucket, const Watcher& watcher) {
  WP_CHECK(bucket[watcher.slot] == &watcher, "the watcher is where it says");
  bucket[watcher.slot] = bucket.back();
  bucket[watcher.slot]->slot = watcher.slot;
  bucket.pop_back();
}

}  // namespace watchproof::store
