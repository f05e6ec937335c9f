// SPDX-License-Identifier: Apache-2.0
// Refuses requests that are wrong by themselves, whatever the store holds.
//
// Threads: free functions without state.
#pragma once

#include "embedded_store/mvcc/operations.h"
#include "harness/base/status.h"

namespace watchproof::store {

// The most operations in one branch of a transaction, and the most comparisons.
inline constexpr std::size_t kMaxTxnOperations = 128;

Status CheckRequest(const RangeQuery& query);
Status CheckRequest(const PutOp& put);
Status CheckRequest(const DeleteOp& removal);
// Includes the ban on changing one key twice: no key may be put twice, or put and deleted, in
// branches that can both run.
Status CheckRequest(const TxnOp& txn);

}  // namespace watchproof::store
