// SPDX-License-Identifier: Apache-2.0
// The part of the reference store that needs no state: ranges, comparisons, and which requests are
// wrong in themselves.
//
// Threads: pure functions.
#pragma once

#include <string>
#include <vector>

#include "embedded_store/mvcc/operations.h"
#include "harness/base/status.h"

namespace watchproof::explore {

inline Status Invalid(const char* text) { return {StatusCode::kInvalidArgument, text}; }
bool Holds(const store::KeyRange& range, const std::string& key);
// For what the keys of its range hold.
bool IsTrue(const store::Compare& compare, const std::vector<store::KeyValue>& held);

// Of what is put, whichever branch will run.
std::size_t SizeOf(const store::PutOp& put);
std::size_t SizeOf(const store::TxnOp& txn);

Status CheckForm(const store::RangeQuery& query);
Status CheckForm(const store::PutOp& put);
Status CheckForm(const store::DeleteOp& erase);
Status CheckForm(const store::TxnOp& txn);

}  // namespace watchproof::explore
