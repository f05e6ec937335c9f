// SPDX-License-Identifier: Apache-2.0
// A key or a range of keys in etcd's own form: an empty end means the one key, an end of one zero
// byte means every key from the beginning on, anything else is the first key that is no longer
// meant.
//
//   KeyRange{"a", "b"}.Contains("a1");   KeyRange::Single("k");   KeyRange::From("m");
//
// Threads: values.
#pragma once

#include <compare>
#include <string>
#include <string_view>
#include <utility>

namespace watchproof::store {

struct KeyRange {
  std::string begin;
  std::string end;

  static KeyRange Single(std::string key) { return {std::move(key), {}}; }
  static KeyRange From(std::string key) { return {std::move(key), std::string(1, '\0')}; }

  bool single() const { return end.empty(); }
  bool open_ended() const { return end.size() == 1 && end[0] == '\0'; }
  // No key can be in it.
  bool empty() const { return !single() && !open_ended() && end <= begin; }
  bool Contains(std::string_view key) const {
    if (single()) return key == begin;
    return key >= begin && (open_ended() || key < end);
  }
  auto operator<=>(const KeyRange&) const = default;
};

}  // namespace watchproof::store
