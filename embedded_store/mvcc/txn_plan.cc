// SPDX-License-Identifier: Apache-2.0
// A transaction in two steps: the plan, and what it does.
#include <algorithm>
#include <utility>

#include "embedded_store/mvcc/write_txn.h"
#include "harness/base/check.h"

namespace watchproof::store {
namespace {

// Borrows the request it was made from.
struct TxnPlan {
  const TxnOp* request = nullptr;
  bool succeeded = false;
  std::vector<TxnPlan> nested;  // one per nested transaction of the chosen branch, in order

  const std::vector<Operation>& branch() const {
    return succeeded ? request->success : request->failure;
  }
};

TxnPlan PlanTxn(const TxnOp& request, const ReadView& view) {
  TxnPlan plan{.request = &request, .succeeded = true, .nested = {}};
  plan.succeeded = std::all_of(request.compares.begin(), request.compares.end(),
                               [&](const Compare& compare) { return view.Holds(compare); });
  for (const Operation& operation : plan.branch()) {
    if (const auto* nested = std::get_if<TxnOp>(&operation)) {
      plan.nested.push_back(PlanTxn(*nested, view));
    }
  }
  return plan;
}

// Calls `check` with every operation of the chosen branches, until one is refused.
template <typename Check>
Status CheckEach(const TxnPlan& plan, const Check& check) {
  auto nested = plan.nested.begin();
  for (const Operation& operation : plan.branch()) {
    if (std::holds_alternative<TxnOp>(operation)) {
      WP_RETURN_IF_ERROR(CheckEach(*nested++, check));
    } else {
      WP_RETURN_IF_ERROR(check(operation));
    }
  }
  return {};
}

// Refuses what the chosen branches cannot do, before anything is done.
Status CheckPlan(const TxnPlan& plan, const WriteTxn& txn) {
  // All puts are checked before all reads; this decides which error is returned when both fail.
  WP_RETURN_IF_ERROR(CheckEach(plan, [&](const Operation& operation) {
    const auto* put = std::get_if<PutOp>(&operation);
    return put == nullptr ? Status() : txn.CheckAgainstStore(*put);
  }));
  return CheckEach(plan, [&](const Operation& operation) {
    const auto* query = std::get_if<RangeQuery>(&operation);
    return query == nullptr ? Status() : txn.view().CheckRevision(query->at);
  });
}

// Requires: CheckPlan found nothing.
TxnAnswer RunPlan(const TxnPlan& plan, WriteTxn& txn) {
  TxnAnswer answer{.revision = {}, .ticket = {}, .succeeded = plan.succeeded, .answers = {}};
  auto nested = plan.nested.begin();
  for (const Operation& operation : plan.branch()) {
    if (const auto* query = std::get_if<RangeQuery>(&operation)) {
      auto range = txn.view().Range(*query);
      WP_CHECK(range.has_value(), "the plan was checked, so its reads cannot be refused");
      answer.answers.emplace_back(*std::move(range));
    } else if (const auto* put = std::get_if<PutOp>(&operation)) {
      answer.answers.emplace_back(txn.Put(*put));
    } else if (const auto* removal = std::get_if<DeleteOp>(&operation)) {
      answer.answers.emplace_back(txn.Delete(*removal));
    } else {
      answer.answers.emplace_back(RunPlan(*nested++, txn));
    }
  }
  answer.revision = txn.now();
  return answer;
}

}  // namespace

Result<TxnAnswer> RunTxn(const TxnOp& request, WriteTxn& txn) {
  const TxnPlan plan = PlanTxn(request, txn.view());
  WP_RETURN_IF_ERROR(CheckPlan(plan, txn));
  return RunPlan(plan, txn);
}

}  // namespace watchproof::store
