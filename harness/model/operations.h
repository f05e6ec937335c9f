// SPDX-License-Identifier: Apache-2.0
// What a write did to the store, and what an answer shows of it: read from the request and, where
// it was answered, the response.
//
//   WP_ASSIGN_OR_RETURN(Effect effect, AcknowledgedEffect(method, request, response));
//   if (effect.changes()) ... effect.revision, effect.operations ...
//   EachShown(method, request, response, [&](const KeyValueView& kv) { ... });
//
// Threads: functions without state. Operations look into the request.
#pragma once

#include <algorithm>
#include <string_view>
#include <vector>

#include "harness/base/status.h"
#include "harness/history/entry.h"
#include "harness/history/wire.h"
#include "harness/model/timeline.h"

namespace watchproof {

struct Effect {
  Revision revision;                  // of the response's header
  std::vector<Operation> operations;  // those that ran, in order

  // A write makes a revision if it put something or deleted at least one key.
  bool changes() const;
};

bool IsWrite(Method method);

// With these codes etcd refused before it changed anything. All others may hide a success.
bool IsDefiniteRefusal(StatusCode code);

// The operations that ran, transactions unfolded along the branches that the answer names. An error
// if the answer cannot be read, does not fit the request, or names no revision for a change: what
// the write did is then as unknown as without an answer.
Result<Effect> AcknowledgedEffect(Method method, std::string_view request,
                                  std::string_view response);

// What can be observed of both is the same.
bool SameEffect(const std::vector<Operation>& a, const std::vector<Operation>& b);

// For a write without answer: every list of operations that may have run, one per combination of
// branches. An error if there are more than a few dozen.
Result<std::vector<std::vector<Operation>>> PossibleEffects(Method method,
                                                            std::string_view request);

// Calls `visit` on every key-value pair in the answer to a call, also those inside transactions.
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
