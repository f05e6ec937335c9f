// SPDX-License-Identifier: Apache-2.0
#include "harness/model/control_log.h"

#include <algorithm>

namespace watchproof {

void ControlLog::Ask(StreamId stream, const WatchCreateView& create) {
  const auto known = std::find_if(watches_.begin(), watches_.end(),
                                  [&](const Watch& watch) { return watch.stream == stream; });
  const bool counts = !create.no_put && !create.no_delete && create.start_revision > 0;
  if (known != watches_.end() || !counts) return;
  watches_.push_back(
      {stream, KeyRange(create.key, create.range_end), Revision(create.start_revision)});
}

void ControlLog::Receive(StreamId stream, const std::vector<EventView>& events, const Bytes& owner,
                         Line line) {
  Revision latest{};
  for (const EventView& event : events) {
    const Revision revision(event.kv.mod_revision);
    reported_[revision].push_back({event.type == 1, event.kv, line, owner});
    latest = std::max(latest, revision);
  }
  latest_ = std::max(latest_, latest);
  for (Watch& watch : watches_) {
    if (watch.stream == stream) watch.latest = std::max(watch.latest, latest);
  }
}

std::optional<Revision> ControlLog::CoveredSince(const KeyRange& range, Revision first,
                                                 Revision last) const {
  for (const Watch& watch : watches_) {
    const bool received = watch.start <= first && last < watch.latest;
    if (received && watch.range.ContainsAll(range)) return watch.start;
  }
  return std::nullopt;
}

bool ControlLog::Covers(const KeyRange& range) const {
  return std::any_of(watches_.begin(), watches_.end(),
                     [&](const Watch& watch) { return watch.range.ContainsAll(range); });
}

bool ControlLog::Covers(std::string_view key, Revision revision) const {
  return std::any_of(watches_.begin(), watches_.end(), [&](const Watch& watch) {
    return watch.start <= revision && watch.range.Contains(key);
  });
}

bool ControlLog::AnyAt(Revision revision) const {
  return std::any_of(watches_.begin(), watches_.end(),
                     [&](const Watch& watch) { return watch.start <= revision; });
}

}  // namespace watchproof
