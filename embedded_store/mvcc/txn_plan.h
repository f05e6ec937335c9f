// SPDX-License-Identifier: Apache-2.0
// A transaction in two steps: first every comparison is decided, nested ones too, against the state
// before it; then the chosen branches run.
//
// Not thread-safe. Ownership: a plan borrows the request it was made from.
#pragma once

#include <vector>

#include "embedded_store/mvcc/write_txn.h"

namespace watchproof::store {

struct TxnPlan {
  const TxnOp* request = nullptr;
  bool succeeded = false;
  std::vector<TxnPlan> nested;  // one per nested transaction of the chosen branch, in order

  const std::vector<Operation>& branch() const {
    return succeeded ? request->success : request->failure;
  }
};

TxnPlan PlanTxn(const TxnOp& request, const ReadView& view);
// Refuses what the chosen branches cannot do, before anything is done.
Status CheckPlan(const TxnPlan& plan, const WriteTxn& txn);
// Requires: CheckPlan found nothing.
TxnAnswer RunPlan(const TxnPlan& plan, WriteTxn& txn);

}  // namespace watchproof::store
