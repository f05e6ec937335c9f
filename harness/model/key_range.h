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

#include <compare>
#include <string>
#include <string_view>

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

  auto operator<=>(const KeyRange&) const = default;

 private:
  static constexpr std::string_view kSmallest{"\0", 1};

  std::string first_{kSmallest};
  std::string end_;
};

}  // namespace watchproof
