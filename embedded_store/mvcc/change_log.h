// SPDX-License-Identifier: Apache-2.0
// The changes in memory, ordered by revision, whether or not they are also in a backend.
//
//   log.Append({Revision{2}, 0}, change);
//   log.Visit(Revision{2}, Revision{9}, [](const ChangePtr& change) { ... });
//
// Not thread-safe. Ownership: by value, inside the store; changes are shared with their deliveries.
#pragma once

#include <map>
#include <utility>

#include "embedded_store/mvcc/change.h"
#include "harness/base/check.h"

namespace watchproof::store {

class ChangeLog {
 public:
  // Requires: `at` is above everything appended before.
  void Append(RevisionPair at, ChangePtr change) {
    WP_CHECK(changes_.empty() || changes_.rbegin()->first < at, "the log only grows");
    bytes_ += Size(*change);
    changes_.emplace_hint(changes_.end(), at, std::move(change));
  }
  // Requires: `at` was appended and not erased.
  const ChangePtr& Get(RevisionPair at) const {
    const auto found = changes_.find(at);
    WP_CHECK(found != changes_.end(), "the index names a change that the log does not have");
    return found->second;
  }
  // Requires: as for Get.
  void Erase(RevisionPair at) {
    const auto found = changes_.find(at);
    WP_CHECK(found != changes_.end(), "only what was appended is erased");
    bytes_.value -= Size(*found->second).value;
    changes_.erase(found);
  }
  // In revision order, both ends included.
  template <typename Visitor>
  void Visit(Revision from, Revision to, Visitor&& visit) const {
    for (auto it = changes_.lower_bound({from, 0}); it != changes_.end(); ++it) {
      if (it->first.main > to) return;
      visit(it->second);
    }
  }
  std::size_t size() const { return changes_.size(); }
  // The bytes of keys and values; what the map needs for itself is left out.
  ByteCount bytes() const { return bytes_; }

 private:
  static ByteCount Size(const Change& change) {
    return ByteCount(static_cast<std::int64_t>(change.kv.key.size() + change.kv.value.size()));
  }

  ByteCount bytes_;
  std::map<RevisionPair, ChangePtr> changes_;
};

}  // namespace watchproof::store
