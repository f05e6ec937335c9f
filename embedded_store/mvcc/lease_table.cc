// SPDX-License-Identifier: Apache-2.0
#include "embedded_store/mvcc/lease_table.h"

#include "harness/base/check.h"

namespace watchproof::store {

void LeaseTable::Remove(LeaseId id) {
  const auto found = keys_.find(id);
  WP_CHECK(found != keys_.end() && found->second.empty(), "only an empty lease is removed");
  keys_.erase(found);
}

void LeaseTable::Move(const std::string& key, Step step) {
  if (step.from == step.to) return;
  if (const auto from = keys_.find(step.from); from != keys_.end()) from->second.erase(key);
  if (const auto to = keys_.find(step.to); to != keys_.end()) to->second.insert(key);
}

const LeaseTable::Keys& LeaseTable::KeysOf(LeaseId id) const {
  static const Keys kNone;
  const auto found = keys_.find(id);
  return found == keys_.end() ? kNone : found->second;
}

}  // namespace watchproof::store
