// SPDX-License-Identifier: Apache-2.0
// Rights on ranges of keys: what a role grants, what an operation needs, and whether the first
// covers the second.
//
//   RangeSet read({{"a", "c"}, {"c", "f"}});
//   read.Covers({"b", "e"});                 // two grants together may cover one need
//
// Threads: values. KeyRange has etcd's three forms: one key, a range, open ended.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "embedded_store/mvcc/key_range.h"

namespace watchproof::store {

// The numbers are etcd's.
enum class Right { kRead = 0, kWrite = 1, kReadWrite = 2 };

struct Permission {
  Right right = Right::kRead;
  KeyRange range;
  bool operator==(const Permission&) const = default;
};

// Whether a permission can be granted on it: it begins with a key and is not empty.
bool IsGrantable(const KeyRange& range);

// The keys of several ranges taken together.
class RangeSet {
 public:
  explicit RangeSet(const std::vector<KeyRange>& ranges = {});
  // Whether every key of `range` is in it. The end of a range need not be above its begin; then
  // the place between the two must be in it, although no key is meant.
  bool Covers(const KeyRange& range) const;

 private:
  // First key that is no longer in; none: open ended.
  using End = std::optional<std::string>;
  void Add(const KeyRange& range);

  std::map<std::string, End> parts_;  // by first key; disjoint and not adjacent
};

}  // namespace watchproof::store
