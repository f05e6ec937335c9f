// SPDX-License-Identifier: Apache-2.0
#include "embedded_store/auth/access.h"

#include <utility>

namespace watchproof::store {
namespace {

void Append(Needs more, Needs& to) {
  to.insert(to.end(), std::make_move_iterator(more.begin()), std::make_move_iterator(more.end()));
}

Needs NeedsOf(std::monostate, const LeaseKeys&) { return {}; }

}  // namespace

Needs NeedsOf(const RangeQuery& query, const LeaseKeys&) { return {{Right::kRead, query.range}}; }

Needs NeedsOf(const PutOp& put, const LeaseKeys& lease_keys) {
  Needs needs{{Right::kWrite, KeyRange::Single(put.key)}};
  if (put.lease != 0) Append(NeedsOfLease(put.lease, Right::kWrite, lease_keys), needs);
  if (put.want_previous) needs.push_back({Right::kRead, KeyRange::Single(put.key)});
  return needs;
}

Needs NeedsOf(const DeleteOp& removal, const LeaseKeys&) {
  Needs needs{{Right::kWrite, removal.range}};
  if (removal.want_previous) needs.push_back({Right::kRead, removal.range});
  return needs;
}

Needs NeedsOf(const TxnOp& txn, const LeaseKeys& lease_keys) {
  Needs needs;
  for (const Compare& compare : txn.compares) needs.push_back({Right::kRead, compare.range});
  for (const auto* branch : {&txn.success, &txn.failure}) {
    for (const Operation& operation : *branch) {
      Append(std::visit([&](const auto& one) { return NeedsOf(one, lease_keys); }, operation),
             needs);
    }
  }
  return needs;
}

Needs NeedsOfLease(std::int64_t lease, Right right, const LeaseKeys& lease_keys) {
  Needs needs;
  for (std::string& key : lease_keys(lease)) {
    needs.push_back({right, KeyRange::Single(std::move(key))});
  }
  return needs;
}

}  // namespace watchproof::store
