// SPDX-License-Identifier: Apache-2.0
// Where changes rest, ordered by revision; in memory.
//
//   backend.Append({Revision{2}, 0}, change);
//   backend.Visit(Revision{2}, Revision{9}, [](const ChangePtr& change) { ... });
//
// Not thread-safe. Ownership: by value, inside the store; changes are shared with whoever delivers
// them.
#pragma once

#include <map>
#include <utility>

#include "embedded_store/mvcc/change.h"
#include "embedded_store/mvcc/revision_pair.h"
#include "harness/base/check.h"

namespace watchproof::store {

class Backend {
 public:
  // Requires: `at` is above everything appended before.
  void Append(RevisionPair at, ChangePtr change) {
    WP_CHECK(changes_.empty() || changes_.rbegin()->first < at, "the backend only grows");
    changes_.emplace_hint(changes_.end(), at, std::move(change));
  }
  // Requires: `at` was appended and not erased.
  const ChangePtr& Get(RevisionPair at) const {
    const auto found = changes_.find(at);
    WP_CHECK(found != changes_.end(), "the index names a change that the backend does not have");
    return found->second;
  }
  void Erase(RevisionPair at) { changes_.erase(at); }
  // In revision order, both ends included.
  template <typename Visitor>
  void Visit(Revision from, Revision to, Visitor&& visit) const {
    for (auto it = changes_.lower_bound({from, 0}); it != changes_.end(); ++it) {
      if (it->first.main > to) return;
      visit(it->second);
    }
  }
  std::size_t size() const { return changes_.size(); }

 private:
  std::map<RevisionPair, ChangePtr> changes_;
};

}  // namespace watchproof::store
