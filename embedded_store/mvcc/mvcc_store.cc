// SPDX-License-Identifier: Apache-2.0
#include "embedded_store/mvcc/mvcc_store.h"

#include <utility>

#include "embedded_store/mvcc/errors.h"
#include "embedded_store/mvcc/txn_check.h"
#include "embedded_store/mvcc/txn_plan.h"

namespace watchproof::store {

ReadView MvccStore::ViewLocked() const { return {index_, backend_, current_, compacted_}; }
WriteTxn MvccStore::BeginLocked() { return {index_, backend_, current_, compacted_}; }

Revision MvccStore::CommitLocked(WriteTxn txn) {
  Commit commit = std::move(txn).Finish();
  current_ = commit.revision;
  if (feeding_ && !commit.events.empty()) feed_.push_back(std::move(commit));
  return current_;
}

Result<RangeAnswer> MvccStore::Range(const RangeQuery& query) const {
  WP_RETURN_IF_ERROR(CheckQuery(query));
  MutexLock lock(mu_);
  return ViewLocked().Range(query);
}

Result<PutAnswer> MvccStore::Put(const PutOp& put) {
  WP_RETURN_IF_ERROR(CheckPut(put));
  MutexLock lock(mu_);
  WriteTxn txn = BeginLocked();
  WP_RETURN_IF_ERROR(txn.CheckAgainstStore(put));
  PutAnswer answer = txn.Put(put);
  CommitLocked(std::move(txn));
  return answer;
}

Result<DeleteAnswer> MvccStore::DeleteRange(const DeleteOp& removal) {
  WP_RETURN_IF_ERROR(CheckDelete(removal));
  MutexLock lock(mu_);
  WriteTxn txn = BeginLocked();
  DeleteAnswer answer = txn.Delete(removal);
  CommitLocked(std::move(txn));
  return answer;
}

Result<TxnAnswer> MvccStore::Txn(const TxnOp& request) {
  WP_RETURN_IF_ERROR(CheckTxn(request));
  MutexLock lock(mu_);
  WriteTxn txn = BeginLocked();
  const TxnPlan plan = PlanTxn(request, txn.view());
  WP_RETURN_IF_ERROR(CheckPlan(plan, txn));
  TxnAnswer answer = RunPlan(plan, txn);
  CommitLocked(std::move(txn));
  return answer;
}

Result<Revision> MvccStore::Compact(Revision floor) {
  MutexLock lock(mu_);
  if (floor <= compacted_) return ErrCompacted();
  if (floor > current_) return ErrFutureRevision();
  compacted_ = floor;
  for (const RevisionPair& dropped : index_.Compact(floor)) backend_.Erase(dropped);
  return current_;
}

Revision MvccStore::current() const {
  MutexLock lock(mu_);
  return current_;
}

Revision MvccStore::compacted() const {
  MutexLock lock(mu_);
  return compacted_;
}

std::size_t MvccStore::size() const {
  MutexLock lock(mu_);
  return backend_.size();
}

History MvccStore::ReadHistory(Revision from, Revision to, WithPrevious previous) const {
  History history;
  MutexLock lock(mu_);
  history.compacted = from < compacted_;
  if (history.compacted) return history;
  const ReadView view = ViewLocked();
  backend_.Visit(from, to, [&](const ChangePtr& change) {
    Event event{.change = change, .previous = nullptr};
    if (previous == WithPrevious::kYes) {
      event.previous = view.FindAt(change->kv.key, change->kv.mod.previous());
    }
    history.events.push_back(std::move(event));
  });
  return history;
}

Revision MvccStore::OpenFeed() {
  MutexLock lock(mu_);
  feeding_ = true;
  return current_;
}

std::vector<Commit> MvccStore::TakeCommits() {
  MutexLock lock(mu_);
  return std::exchange(feed_, {});
}

std::size_t MvccStore::waiting_commits() const {
  MutexLock lock(mu_);
  return feed_.size();
}

}  // namespace watchproof::store
