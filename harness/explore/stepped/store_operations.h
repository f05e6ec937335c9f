// SPDX-License-Identifier: Apache-2.0
// Requests as the core of the embedded store takes them.
//
//   store.Put(ToStore(RequestOf(step, placement, values)));
//
// Threads: pure functions.
#pragma once

#include <string>

#include "embedded_store/mvcc/operations.h"
#include "harness/history/requests.h"

namespace watchproof::explore {

// In the words of a script.
store::KeyRange RangeOf(const std::string& key, const std::string& end);
store::PutOp ToStore(const PutRequest& put);
store::DeleteOp ToStore(const DeleteRequest& erase);
store::RangeQuery ToStore(const ReadRequest& read);
store::TxnOp ToStore(const TxnRequest& txn);

}  // namespace watchproof::explore
