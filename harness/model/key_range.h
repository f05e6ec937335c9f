// SPDX-License-Identifier: Apache-2.0
// A range of keys as requests name it, with etcd's meaning of the two fields: from a key up to an
// end that is not in it.
//
//   KeyRange range(request.key, request.range_end);
//   if (range.Contains(event.kv.key)) ...
//   WatchCreate{.key = prefix, .range_end = EndOfPrefix(prefix)}
//
// Threads: values.
#pragma once

#include <algorithm>
#include <compare>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace watchproof {

// As an end: every key from the first one of the range. As a key: the first key of all.
inline const std::string kOpenEnd("\0", 1);

// The end of the range of all keys that begin with `prefix`.
inline std::string EndOfPrefix(std::string prefix) {
  while (!prefix.empty() && prefix.back() == '\xff') prefix.pop_back();
  if (prefix.empty()) return kOpenEnd;
  ++prefix.back();
  return prefix;
}

class KeyRange {
 public:
  KeyRange() = default;
  // An empty key stands for the smallest one, "\0". An empty end means the one key; the end "\0"
  // means all keys from the key on.
  KeyRange(std::string_view key, std::string_view range_end)
      : first_(key.empty() ? kSmallest : key), end_(range_end) {}

  bool single() const { return end_.empty(); }
  bool open_ended() const { return end_ == kSmallest; }
  // The range contains no key: etcd refuses to watch it.
  bool empty() const { return !single() && !open_ended() && first_ >= end_; }
  const std::string& first() const { return first_; }
  // Requires: neither single nor open_ended.
  const std::string& end() const { return end_; }

  bool Contains(std::string_view key) const {
    if (single()) return key == first_;
    return key >= first_ && (open_ended() || key < end_);
  }

  bool ContainsAll(const KeyRange& other) const {
    if (other.single()) return Contains(other.first_);
    if (single() || other.first_ < first_) return false;
    return open_ended() || (!other.open_ended() && other.end_ <= end_);
  }

  // They have a key in common.
  bool Meets(const KeyRange& other) const {
    return Contains(other.first_) || other.Contains(first_);
  }

  auto operator<=>(const KeyRange&) const = default;

 private:
  static constexpr std::string_view kSmallest{"\0", 1};

  std::string first_{kSmallest};
  std::string end_;
};

// Several ranges, as rights grant them.
class KeyRanges {
 public:
  KeyRanges() = default;
  explicit KeyRanges(std::vector<KeyRange> ranges) : ranges_(std::move(ranges)) {}

  void Add(KeyRange range) { ranges_.push_back(std::move(range)); }
  const std::vector<KeyRange>& ranges() const { return ranges_; }
  bool Contains(std::string_view key) const {
    return std::ranges::any_of(ranges_, [&](const KeyRange& one) { return one.Contains(key); });
  }
  // Empty: that follows from several of them together, which a store may join or not.
  std::optional<bool> ContainAll(const KeyRange& range) const {
    const auto all = [&](const KeyRange& one) { return one.ContainsAll(range); };
    if (std::ranges::any_of(ranges_, all)) return true;
    const auto met = [&](const KeyRange& one) { return one.Meets(range); };
    if (std::ranges::count_if(ranges_, met) > 1) return std::nullopt;
    return false;
  }

 private:
  std::vector<KeyRange> ranges_;
};

}  // namespace watchproof
