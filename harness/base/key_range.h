// SPDX-License-Identifier: Apache-2.0
// Ranges of keys as etcd's API has them: from a key up to an end that is not in it.
//
//   WatchCreate{.key = prefix, .range_end = EndOfPrefix(prefix)}
//
// Threads: pure functions.
#pragma once

#include <string>

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

}  // namespace watchproof
