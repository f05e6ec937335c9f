// SPDX-License-Identifier: Apache-2.0
#include "embedded_store/auth/permission.h"

#include <utility>

namespace watchproof::store {
namespace {

using End = std::optional<std::string>;

// The first key behind a range, none for an open end.
End EndOf(const KeyRange& range) {
  if (range.single()) return range.begin + '\0';
  if (range.open_ended()) return std::nullopt;
  return range.end;
}

// Whether the end `a` reaches as far as `b`.
bool Reaches(const End& a, const End& b) { return !a || (b && *a >= *b); }

}  // namespace

bool IsGrantable(const KeyRange& range) { return !range.begin.empty() && !range.empty(); }

RangeSet::RangeSet(const std::vector<KeyRange>& ranges) {
  for (const KeyRange& range : ranges) Add(range);
}

void RangeSet::Add(const KeyRange& range) {
  std::string begin = range.begin;
  End end = EndOf(range);
  auto part = parts_.upper_bound(begin);
  if (part != parts_.begin() && Reaches(std::prev(part)->second, begin)) --part;
  // Swallows every part that it overlaps or touches.
  while (part != parts_.end() && Reaches(end, part->first)) {
    begin = std::min(begin, part->first);
    if (!Reaches(end, part->second)) end = part->second;
    part = parts_.erase(part);
  }
  parts_.emplace(std::move(begin), std::move(end));
}

bool RangeSet::Covers(const KeyRange& range) const {
  const auto after = parts_.upper_bound(range.begin);
  if (after == parts_.begin()) return false;
  const End& end = std::prev(after)->second;
  const bool holds_begin = !end || *end > range.begin;
  return holds_begin && Reaches(end, EndOf(range));
}

}  // namespace watchproof::store
