// SPDX-License-Identifier: Apache-2.0
// Visits every key-value pair in the answer to a call, also those inside transactions.
//
//   EachShown(method, request, response, [&](const KeyValueView& kv) { ... });
//
// Threads: a function without state.
#pragma once

#include <algorithm>
#include <string_view>

#include "harness/history/wire.h"

namespace watchproof {

// Calls `visit` on each of them.
template <typename Visit>
void EachShown(Method kind, std::string_view request, std::string_view response, Visit visit) {
  if (kind == Method::kRange) {
    RangeRequestView range;
    RangeResponseView answer;
    if (!Parse(request, range).ok() || range.keys_only || !Parse(response, answer).ok()) return;
    for (const KeyValueView& kv : answer.kvs) visit(kv);
  } else if (kind == Method::kPut) {
    PutResponseView answer;
    if (Parse(response, answer).ok() && answer.has_previous) visit(answer.previous);
  } else if (kind == Method::kDeleteRange) {
    DeleteRangeResponseView answer;
    if (!Parse(response, answer).ok()) return;
    for (const KeyValueView& kv : answer.previous) visit(kv);
  } else if (kind == Method::kTxn) {
    TxnRequestView txn;
    TxnResponseView answer;
    if (!Parse(request, txn).ok() || !Parse(response, answer).ok()) return;
    const std::vector<OperationView>& ran = answer.succeeded ? txn.success : txn.failure;
    const std::size_t both = std::min(ran.size(), answer.responses.size());
    for (std::size_t i = 0; i < both; ++i) {
      EachShown(ran[i].kind, ran[i].body, answer.responses[i].body, visit);
    }
  }
}

}  // namespace watchproof
