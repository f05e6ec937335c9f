// SPDX-License-Identifier: Apache-2.0
// The leases of the store, and the keys attached to each.
//
//   leases.Add(7);
//   leases.Move("k", {.from = 0, .to = 7});   // 0: no lease
//   leases.KeysOf(7);
//
// Times to live are kept elsewhere (lessor.h). Not thread-safe. Ownership: by value, inside the
// store, where it changes under the same lock as the keys.
#pragma once

#include <cstdint>
#include <set>
#include <string>
#include <unordered_map>

#include "harness/base/check.h"

namespace watchproof::store {

using LeaseId = std::int64_t;
inline constexpr LeaseId kNoLease = 0;

// A lease as stored in a backend. The store does not interpret the record of its owner.
struct KeptLease {
  LeaseId id = kNoLease;
  std::string record;
};

class LeaseTable {
 public:
  using Keys = std::set<std::string>;
  struct Step {
    LeaseId from = kNoLease;
    LeaseId to = kNoLease;
  };

  bool Contains(LeaseId id) const { return keys_.contains(id); }
  void Add(LeaseId id) { keys_.try_emplace(id); }
  // Requires: the lease exists, and no key is attached to it any more.
  void Remove(LeaseId id) {
    const auto found = keys_.find(id);
    WP_CHECK(found != keys_.end() && found->second.empty(), "only an empty lease is removed");
    keys_.erase(found);
  }
  // A lease that does not exist is skipped: it ended while the key remained.
  void Move(const std::string& key, Step step) {
    if (step.from == step.to) return;
    if (const auto from = keys_.find(step.from); from != keys_.end()) from->second.erase(key);
    if (const auto to = keys_.find(step.to); to != keys_.end()) to->second.insert(key);
  }
  // Empty for an unknown lease.
  const Keys& KeysOf(LeaseId id) const {
    static const Keys kNone;
    const auto found = keys_.find(id);
    return found == keys_.end() ? kNone : found->second;
  }

 private:
  std::unordered_map<LeaseId, Keys> keys_;
};

}  // namespace watchproof::store
