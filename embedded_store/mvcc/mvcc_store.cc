// SPDX-License-Identifier: Apache-2.0
#include "embedded_store/mvcc/mvcc_store.h"

#include <algorithm>
#include <map>
#include <utility>

#include "embedded_store/backend/memory_backend.h"
#include "embedded_store/mvcc/change_codec.h"
#include "embedded_store/mvcc/errors.h"
#include "embedded_store/mvcc/txn_check.h"

namespace watchproof::store {

namespace {

// Bound of one step, which runs while all other callers wait for the lock.
constexpr std::size_t kKeysPerStep = 2000;
constexpr std::size_t kErasuresPerStep = 2000;

std::size_t Weight(const PutOp& put) { return put.key.size() + put.value.size(); }

// The bytes of every put that the transaction could make; 0 when it makes none.
std::size_t Weight(const TxnOp& txn) {
  std::size_t weight = 0;
  for (const auto* branch : {&txn.success, &txn.failure}) {
    for (const Operation& operation : *branch) {
      if (const auto* put = std::get_if<PutOp>(&operation)) weight += Weight(*put);
      if (const auto* nested = std::get_if<TxnOp>(&operation)) weight += Weight(*nested);
    }
  }
  return weight;
}

}  // namespace

MvccStore::MvccStore(const Hooks& hooks)
    : own_(std::make_unique<MemoryBackend>()), backend_(*own_), hooks_(hooks) {}

MvccStore::MvccStore(Backend& backend, const Hooks& hooks) : backend_(backend), hooks_(hooks) {
  backend_.OnSafe([this](Ticket ticket) { BecameSafe(ticket); });
}

ReadView MvccStore::ViewLocked() const { return {index_, log_, current_, compacted_}; }
WriteTxn MvccStore::BeginLocked() { return {index_, log_, leases_, current_, compacted_, hooks_}; }

Ticket MvccStore::CommitLocked(WriteTxn txn, std::vector<Mutation> along) {
  Commit commit = std::move(txn).Finish();
  if (commit.events.empty() && along.empty()) return backend_.staged();
  const Ticket ticket = StageLocked(commit, std::move(along));
  if (commit.events.empty()) return ticket;
  current_ = commit.revision;
  if (ticket.value == 0) {
    FeedLocked(std::move(commit));
  } else {
    unsafe_.push_back({.ticket = ticket, .commit = std::move(commit)});
  }
  return ticket;
}

Ticket MvccStore::StageLocked(const Commit& commit, std::vector<Mutation> mutations) {
  // Without a disk the changes are in memory anyway; what came along may be nowhere else.
  if (!backend_.durable())
    return mutations.empty() ? Ticket() : backend_.Stage(std::move(mutations));
  mutations.reserve(mutations.size() + commit.events.size());
  for (const Event& event : commit.events) {
    const Change& change = *event.change;
    mutations.push_back(
        {Bucket::kChange, ChangeKey({change.kv.mod, change.sub}), ChangeValue(change)});
  }
  return backend_.Stage(std::move(mutations));
}

void MvccStore::FeedLocked(Commit commit) {
  safe_ = commit.revision;
  unannounced_.store(!hooks_.is_announced(commit), std::memory_order_relaxed);
  if (feeding_) feed_.push_back(std::move(commit));
}

void MvccStore::Announce(Ticket ticket) const {
  if (ticket.value == 0) AnnounceFeed();
}

void MvccStore::AnnounceFeed() const {
  if (unannounced_.load(std::memory_order_relaxed)) return;
  if (announcing_.load(std::memory_order_acquire)) announce_();
}

void MvccStore::BecameSafe(Ticket ticket) {
  {
    MutexLock lock(mu_);
    while (!unsafe_.empty() && unsafe_.front().ticket <= ticket) {
      FeedLocked(std::move(unsafe_.front().commit));
      unsafe_.pop_front();
    }
    if (floor_ticket_ <= ticket) safe_floor_ = compacted_;
  }
  AnnounceFeed();
}

Result<RangeAnswer> MvccStore::Range(const RangeQuery& query) const {
  WP_RETURN_IF_ERROR(CheckRequest(query));
  MutexLock lock(mu_);
  WP_ASSIGN_OR_RETURN(RangeAnswer answer, ViewLocked().Range(query));
  answer.ticket = backend_.staged();
  return answer;
}

Result<PutAnswer> MvccStore::Put(const PutOp& put) {
  WP_RETURN_IF_ERROR(CheckRequest(put));
  WP_RETURN_IF_ERROR(backend_.Admit(Weight(put), Purpose::kGrow));
  PutAnswer answer;
  {
    MutexLock lock(mu_);
    // Outside of a transaction the lease is looked for before the key.
    if (put.lease != kNoLease && !leases_.Contains(put.lease)) return ErrLeaseNotFound();
    WriteTxn txn = BeginLocked();
    WP_RETURN_IF_ERROR(txn.CheckAgainstStore(put));
    answer = txn.Put(put);
    answer.ticket = CommitLocked(std::move(txn));
  }
  Announce(answer.ticket);
  if (hooks_.write_answer == WriteAnswer::kAtOnce) answer.ticket = {};
  return answer;
}

Result<DeleteAnswer> MvccStore::DeleteRange(const DeleteOp& removal) {
  WP_RETURN_IF_ERROR(CheckRequest(removal));
  WP_RETURN_IF_ERROR(backend_.Admit(0, Purpose::kFree));
  DeleteAnswer answer;
  {
    MutexLock lock(mu_);
    WriteTxn txn = BeginLocked();
    answer = txn.Delete(removal);
    answer.ticket = CommitLocked(std::move(txn));
  }
  Announce(answer.ticket);
  if (hooks_.write_answer == WriteAnswer::kAtOnce) answer.ticket = {};
  return answer;
}

Result<TxnAnswer> MvccStore::Txn(const TxnOp& request) {
  WP_RETURN_IF_ERROR(CheckRequest(request));
  const std::size_t weight = Weight(request);
  WP_RETURN_IF_ERROR(backend_.Admit(weight, weight > 0 ? Purpose::kGrow : Purpose::kFree));
  TxnAnswer answer;
  {
    MutexLock lock(mu_);
    WriteTxn txn = BeginLocked();
    WP_ASSIGN_OR_RETURN(answer, RunTxn(request, txn));
    answer.ticket = CommitLocked(std::move(txn));
  }
  Announce(answer.ticket);
  if (hooks_.write_answer == WriteAnswer::kAtOnce) answer.ticket = {};
  return answer;
}

Result<CompactAnswer> MvccStore::Compact(Revision floor) {
  WP_RETURN_IF_ERROR(backend_.Admit(0, Purpose::kFree));
  MutexLock lock(mu_);
  if (floor <= compacted_) return ErrCompacted();
  if (floor > current_) return ErrFutureRevision();
  compacted_ = floor;
  // The floor is written before anything is erased: a crash in between leaves either no trace of
  // this compaction or one that is finished at the next start.
  floor_ticket_ = {};
  if (backend_.durable()) {
    floor_ticket_ =
        backend_.Stage({{Bucket::kMeta, kCompactionScheduled, NumberValue(floor.value)}});
  }
  if (floor_ticket_.value == 0) safe_floor_ = floor;
  // A compaction under way for a lower floor begins again with the first key; its pending deletes
  // stay.
  if (!compaction_) compaction_ = Compaction{};
  compaction_->next = std::string();
  const CompactAnswer answer{.revision = current_, .ticket = floor_ticket_};
  CompactStepLocked();
  return answer;
}

bool MvccStore::CompactStep() {
  MutexLock lock(mu_);
  return CompactStepLocked();
}

void MvccStore::FinishCompaction() {
  while (CompactStep()) {
    if (!AwaitSafe(backend_, backend_.staged()).ok()) return;
  }
}

bool MvccStore::CompactStepLocked() {
  if (!compaction_) return false;
  auto& [next, pending_deletes] = *compaction_;
  if (next && pending_deletes.size() < kErasuresPerStep) {
    KeyIndex::Trimmed trimmed = index_.Compact(compacted_, *next, kKeysPerStep);
    pending_deletes.insert(pending_deletes.end(), trimmed.dropped.begin(), trimmed.dropped.end());
    next = std::move(trimmed.next);
  }
  std::vector<Mutation> erasures;
  for (std::size_t i = std::min(pending_deletes.size(), kErasuresPerStep); i > 0; --i) {
    log_.Erase(pending_deletes.front());
    if (backend_.durable()) {
      erasures.push_back({Bucket::kChange, ChangeKey(pending_deletes.front())});
    }
    pending_deletes.pop_front();
  }
  const bool finished = !next && pending_deletes.empty();
  if (backend_.durable() && finished) {
    erasures.push_back({Bucket::kMeta, kCompactionFinished, NumberValue(compacted_.value)});
  }
  if (!erasures.empty()) backend_.Stage(std::move(erasures));
  if (finished) compaction_.reset();
  return !finished;
}

Status MvccStore::RestoreLocked(std::string_view key, std::string_view value) {
  WP_ASSIGN_OR_RETURN(Change change, ReadChange(key, value));
  const RevisionPair at{change.kv.mod, change.sub};
  current_ = std::max(current_, at.main);
  if (!index_.Restore(change)) return {};
  log_.Append(at, std::make_shared<const Change>(std::move(change)));
  return {};
}

Status MvccStore::Recover() {
  MutexLock lock(mu_);
  std::map<std::string, std::int64_t> floors{{kCompactionScheduled, -1}, {kCompactionFinished, -1}};
  Status wrong;
  const auto keep_first = [&wrong](Status status) {
    if (wrong.ok()) wrong = std::move(status);
  };
  WP_RETURN_IF_ERROR(
      backend_.Load(Bucket::kMeta, [&](std::string_view key, std::string_view value) {
        const auto found = floors.find(std::string(key));
        if (found == floors.end()) return;
        const Result<std::int64_t> number = ReadNumber(value);
        if (number) found->second = *number;
        if (!number) keep_first(number.error().WithContext("{}", key));
      }));
  WP_RETURN_IF_ERROR(backend_.Load(Bucket::kChange,
                                   [&](std::string_view key, std::string_view value)
                                       REQUIRES(mu_) { keep_first(RestoreLocked(key, value)); }));
  WP_RETURN_IF_ERROR(wrong);
  compacted_ = safe_floor_ = Revision{floors[kCompactionScheduled]};
  safe_ = current_;
  if (compacted_ > current_) {
    return Fail(StatusCode::kDataLoss,
                "the history ends at revision {}, below the compaction at {}", current_,
                compacted_);
  }
  WP_RETURN_IF_ERROR(RestoreLeasesLocked());
  if (floors[kCompactionFinished] >= compacted_.value) return {};
  compaction_ = Compaction{};
  while (CompactStepLocked()) continue;
  return {};
}

Revision MvccStore::current() const {
  MutexLock lock(mu_);
  return current_;
}

Revision MvccStore::compacted() const {
  MutexLock lock(mu_);
  return safe_floor_;
}

std::size_t MvccStore::size() const {
  MutexLock lock(mu_);
  return log_.size();
}

BackendSizes MvccStore::sizes() const {
  if (backend_.durable()) return backend_.sizes();
  MutexLock lock(mu_);
  return {.total = log_.bytes(), .in_use = log_.bytes()};
}

History MvccStore::ReadHistory(Revision from, Revision to, WithPrevious previous) const {
  History history;
  MutexLock lock(mu_);
  history.compacted = from < compacted_;
  history.floor = compacted_;
  if (history.compacted) return history;
  const ReadView view = ViewLocked();
  log_.Visit(from, to, [&](const ChangePtr& change) {
    Event event{.change = change, .previous = nullptr};
    const bool made = change->kind == ChangeKind::kPut && change->kv.create == change->kv.mod;
    if (previous == WithPrevious::kYes && !made) {
      event.previous = view.FindAt(change->kv.key, hooks_.previous_sought(change->kv.mod));
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
