// SPDX-License-Identifier: Apache-2.0
#include "embedded_store/watch/watcher_group.h"

#include "harness/base/check.h"

namespace watchproof::store {

bool Interest::SameAs(const WatchSpec& spec) const {
  return previous_values == spec.previous_values && fragment == spec.fragment &&
         no_puts == spec.no_puts && no_deletes == spec.no_deletes && range == spec.range;
}

void Interest::Add(Watcher& watcher) {
  watcher.slot = synced.size();
  synced.push_back(&watcher);
}

void Interest::Remove(Watcher& watcher) {
  WP_CHECK(synced[watcher.slot] == &watcher, "the watcher is where it says");
  synced[watcher.slot] = synced.back();
  synced[watcher.slot]->slot = watcher.slot;
  synced.pop_back();
}

Interest& WatcherGroup::Join(const WatchSpec& spec) {
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

void WatcherGroup::Leave(Interest& interest) {
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

}  // namespace watchproof::store
