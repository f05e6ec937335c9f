// SPDX-License-Identifier: Apache-2.0
#include "embedded_store/mvcc/mvcc_store.h"

#include <utility>

#include "embedded_store/backend/memory_backend.h"
#include "embedded_store/mvcc/errors.h"
#include "embedded_store/mvcc/txn_check.h"
#include "embedded_store/mvcc/txn_plan.h"

namespace watchproof::store {

MvccStore::MvccStore() : own_(std::make_unique<MemoryBackend>()), backend_(*own_) {}

MvccStore::MvccStore(Backend& backend) : backend_(backend) {
  backend_.OnSafe([this](Ticket ticket) { BecameSafe(ticket); });
}

ReadView MvccStore::ViewLocked() const { return {index_, log_, current_, compacted_}; }
WriteTxn MvccStore::BeginLocked() { return {index_, log_, current_, compacted_}; }

Ticket MvccStore::CommitLocked(WriteTxn txn) {
  Commit commit = std::move(txn).Finish();
  if (commit.events.empty()) return backend_.staged();
  current_ = commit.revision;
  FeedLocked(std::move(commit));
  return {};
}

void MvccStore::FeedLocked(Commit commit) {
  safe_ = commit.revision;
  if (feeding_) feed_.push_back(std::move(commit));
}

void MvccStore::Announce(Ticket ticket) const {
  if (ticket.value == 0 && announce_) announce_();
}

void MvccStore::BecameSafe(Ticket ticket) {
  {
    MutexLock lock(mu_);
    while (!unsafe_.empty() && unsafe_.front().ticket <= ticket) {
      FeedLocked(std::move(unsafe_.front().commit));
      unsafe_.pop_front();
    }
  }
  if (announce_) announce_();
}

Result<RangeAnswer> MvccStore::Range(const RangeQuery& query) const {
  WP_RETURN_IF_ERROR(CheckQuery(query));
  MutexLock lock(mu_);
  WP_ASSIGN_OR_RETURN(RangeAnswer answer, ViewLocked().Range(query));
  answer.ticket = backend_.staged();
  return answer;
}

Result<PutAnswer> MvccStore::Put(const PutOp& put) {
  WP_RETURN_IF_ERROR(CheckPut(put));
  PutAnswer answer;
  {
    MutexLock lock(mu_);
    WriteTxn txn = BeginLocked();
    WP_RETURN_IF_ERROR(txn.CheckAgainstStore(put));
    answer = txn.Put(put);
    answer.ticket = CommitLocked(std::move(txn));
  }
  Announce(answer.ticket);
  return answer;
}

Result<DeleteAnswer> MvccStore::DeleteRange(const DeleteOp& removal) {
  WP_RETURN_IF_ERROR(CheckDelete(removal));
  DeleteAnswer answer;
  {
    MutexLock lock(mu_);
    WriteTxn txn = BeginLocked();
    answer = txn.Delete(removal);
    answer.ticket = CommitLocked(std::move(txn));
  }
  Announce(answer.ticket);
  return answer;
}

Result<TxnAnswer> MvccStore::Txn(const TxnOp& request) {
  WP_RETURN_IF_ERROR(CheckTxn(request));
  TxnAnswer answer;
  {
    MutexLock lock(mu_);
    WriteTxn txn = BeginLocked();
    const TxnPlan plan = PlanTxn(request, txn.view());
    WP_RETURN_IF_ERROR(CheckPlan(plan, txn));
    answer = RunPlan(plan, txn);
    answer.ticket = CommitLocked(std::move(txn));
  }
  Announce(answer.ticket);
  return answer;
}

Result<CompactAnswer> MvccStore::Compact(Revision floor) {
  MutexLock lock(mu_);
  if (floor <= compacted_) return ErrCompacted();
  if (floor > current_) return ErrFutureRevision();
  compacted_ = floor;
  for (const RevisionPair& dropped : index_.Compact(floor)) log_.Erase(dropped);
  return CompactAnswer{.revision = current_, .ticket = backend_.staged()};
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
  return log_.size();
}

History MvccStore::ReadHistory(Revision from, Revision to, WithPrevious previous) const {
  History history;
  MutexLock lock(mu_);
  history.compacted = from < compacted_;
  if (history.compacted) return history;
  const ReadView view = ViewLocked();
  log_.Visit(from, to, [&](const ChangePtr& change) {
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
  return safe_;
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
