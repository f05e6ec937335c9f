// SPDX-License-Identifier: Apache-2.0
#include "proxies/disk/disk_log.h"

#include <algorithm>
#include <map>
#include <utility>

namespace watchproof::proxy {
namespace {

constexpr Duration kLeastLimit = 100us;
constexpr Duration kMostLimit = 1h;

bool MayBeJoined(DiskSpanKind kind) {
  return kind != DiskSpanKind::kKilled && kind != DiskSpanKind::kLost &&
         kind != DiskSpanKind::kStarted;
}

// Those that begin within the limit after one of their kind become part of it, if neither has a
// call that lasted longer than the limit. Requires: by time.
std::vector<DiskSpan> JoinedWithin(Duration limit, std::vector<DiskSpan> spans) {
  std::vector<DiskSpan> joined;
  std::map<std::pair<DiskSpanKind, std::size_t>, std::size_t> latest;  // their place in `joined`
  for (DiskSpan& span : spans) {
    if (!MayBeJoined(span.kind)) {
      latest.clear();
      joined.push_back(std::move(span));
      continue;
    }
    const auto [before, is_first] = latest.try_emplace({span.kind, span.of_class}, joined.size());
    const bool joins = !is_first && span.longest <= limit &&
                       joined[before->second].longest <= limit &&
                       span.from - joined[before->second].until <= limit;
    if (joins) {
      DiskSpan& into = joined[before->second];
      into.until = std::max(into.until, span.until);
      into.count += span.count;
      into.longest = std::max(into.longest, span.longest);
      if (into.what != span.what) into.what.clear();
      continue;
    }
    before->second = joined.size();
    joined.push_back(std::move(span));
  }
  return joined;
}

}  // namespace

void DiskLog::Add(DiskSpan span) {
  if (spans_.size() >= most_) {
    std::ranges::stable_sort(spans_, {}, &DiskSpan::from);
    for (Duration limit = kLeastLimit; spans_.size() > most_ / 2 && limit < kMostLimit;
         limit *= 2) {
      spans_ = JoinedWithin(limit, std::move(spans_));
    }
    if (spans_.size() >= most_) return;
  }
  if (span.longest == Duration()) span.longest = span.until - span.from;
  spans_.push_back(std::move(span));
}

std::vector<DiskSpan> DiskLog::Take() {
  std::ranges::stable_sort(spans_, {}, &DiskSpan::from);
  return std::exchange(spans_, {});
}

}  // namespace watchproof::proxy
