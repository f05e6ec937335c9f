// SPDX-License-Identifier: Apache-2.0
// Which leases the store knows, and which keys hang on each.
//
//   leases.Add(7);
//   leases.Move("k", {.from = 0, .to = 7});   // 0: no lease
//   leases.KeysOf(7);
//
// How long a lease lives is not its business. Not thread-safe. Ownership: by value, inside the
// store, where it changes under the same lock as the keys.
#pragma once

#include <cstdint>
#include <set>
#include <string>
#include <unordered_map>

namespace watchproof::store {

using LeaseId = std::int64_t;
inline constexpr LeaseId kNoLease = 0;

// A lease as it rests in a backend. What its owner wrote about it is not looked into.
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
  // Requires: it is there, and no key hangs on it any more.
  void Remove(LeaseId id);
  // A lease that is not there is passed over: it ended while the key lived on.
  void Move(const std::string& key, Step step);
  // Empty for a lease that is not there.
  const Keys& KeysOf(LeaseId id) const;

 private:
  std::unordered_map<LeaseId, Keys> keys_;
};

}  // namespace watchproof::store
