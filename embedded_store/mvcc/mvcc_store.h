// SPDX-License-Identifier: Apache-2.0
// A key-value store that keeps every version since the last compaction, with etcd's semantics.
//
//   MvccStore store;                           // or MvccStore store(backend), store.Recover()
//   store.Put({.key = "k", .value = "v"});     // revision 2: an empty store is at 1
//   store.Range({.range = KeyRange::Single("k"), .at = Revision{2}});
//   store.Compact(Revision{2});
//
// Everything is in memory, and written through to the backend in the order in which it happened.
// Answers carry the ticket that must be safe before a client is shown them. Watch layers read the
// store in two ways: the feed of commits as they become safe, and the history since a revision.
// Threads: any; one lock inside, under which nothing outside but the backend's Stage is called, and
// Read of one without a disk.
// Ownership: borrows hooks and backend; the latter must be stopped before the store goes. Changes
// are shared and immutable.
#pragma once

#include <atomic>
#include <cstddef>
#include <deque>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "embedded_store/backend/backend.h"
#include "embedded_store/mvcc/change.h"
#include "embedded_store/mvcc/change_log.h"
#include "embedded_store/mvcc/key_index.h"
#include "embedded_store/mvcc/lease_table.h"
#include "embedded_store/mvcc/operations.h"
#include "embedded_store/mvcc/write_txn.h"
#include "harness/base/mutex.h"
#include "harness/base/status.h"

namespace watchproof::store {

enum class WithPrevious { kNo, kYes };

// Changes between two revisions; empty, with `compacted` set, when compaction has taken some of
// them.
struct History {
  bool compacted = false;
  Revision floor{};  // of compaction, when it was read
  std::vector<Event> events;
};

class MvccStore {
 public:
  // Over a memory backend of its own.
  explicit MvccStore(const Hooks& hooks = Hooks::None());
  explicit MvccStore(Backend& backend, const Hooks& hooks = Hooks::None());

  Result<RangeAnswer> Range(const RangeQuery& query) const;
  Result<PutAnswer> Put(const PutOp& put);
  // Uses up a revision only when a key was there to delete.
  Result<DeleteAnswer> DeleteRange(const DeleteOp& removal);
  // Uses up one revision when anything changed, whatever the number of changes. A refused
  // transaction changes nothing.
  Result<TxnAnswer> Txn(const TxnOp& txn);
  // From now on keys can be put with this lease. Requires: it is not there yet.
  Result<Ticket> AddLease(const KeptLease& lease);
  // Passed over when the lease is gone.
  Ticket UpdateLease(const KeptLease& lease);
  // Deletes its keys, all of them in one revision, and the lease.
  Result<DeleteAnswer> RemoveLease(LeaseId id);
  // In order; none when there is no such lease.
  std::vector<std::string> KeysOfLease(LeaseId id) const;
  // What Recover found; given out once.
  std::vector<KeptLease> TakeRecoveredLeases();
  // Afterwards reads and watches below `floor` are refused. What only they needed is removed in
  // steps, the first of which runs here.
  Result<CompactAnswer> Compact(Revision floor);
  // Removes a bounded number of changes, so that no other call waits for long. Returns whether more
  // is left.
  bool CompactStep();
  // Takes steps until nothing is left to remove, each written before the next, so that writers
  // share lock and disk with it. Blocks.
  void FinishCompaction();

  // Loads what the backend holds, and finishes a compaction that a crash interrupted. Requires:
  // once, before anything else.
  Status Recover();

  Revision current() const;
  // As far as it is safe; -1 before the first compaction.
  Revision compacted() const;
  // Number of changes kept.
  std::size_t size() const;
  // What they take up: in the backend, or in memory when it does not last.
  BackendSizes sizes() const;

  // Everything there is, as of the last safe revision: for snapshots and sums. A compaction under
  // way may or may not have erased what it is to erase.
  Result<std::unique_ptr<BackendReader>> Read() const;

  // Both ends included, in order.
  History ReadHistory(Revision from, Revision to, WithPrevious previous) const;

  // `announce` is called, without a lock, whenever the feed has something new: once for all commits
  // that became safe together. Requires: once, before the first write. What recovery has written
  // may become safe meanwhile, and is announced or not.
  void OnCommitsSafe(std::function<void()> announce) {
    announce_ = std::move(announce);
    announcing_.store(true, std::memory_order_release);
  }
  // From now on safe commits are kept for TakeCommits. There is one consumer; without one, nothing
  // is kept. Returns the revision after which the feed begins.
  Revision OpenFeed();
  // In order and without gaps. The feed has no bound of its own: its consumer never waits for a
  // watcher, and writers can look at waiting_commits and hold back.
  std::vector<Commit> TakeCommits();
  std::size_t waiting_commits() const;

 private:
  struct Unsafe {
    Ticket ticket;
    Commit commit;
  };

  // A compaction under way: the index is trimmed key by key, and changes that no index entry names
  // any more are erased after it.
  struct Compaction {
    std::optional<std::string> next = std::string();  // key to go on with; none: all are trimmed
    std::deque<RevisionPair> pending_deletes{};
  };

  ReadView ViewLocked() const REQUIRES(mu_);
  WriteTxn BeginLocked() REQUIRES(mu_);
  // Returns the ticket of the answer. `along` is kept or lost together with the changes.
  Ticket CommitLocked(WriteTxn txn, std::vector<Mutation> along = {}) REQUIRES(mu_);
  // Each in its own revision.
  void DeleteEachLocked(const LeaseTable::Keys& keys) REQUIRES(mu_);
  void FeedLocked(Commit commit) REQUIRES(mu_);
  Ticket StageLocked(const Commit& commit, std::vector<Mutation> along) REQUIRES(mu_);
  Status RestoreLocked(std::string_view key, std::string_view value) REQUIRES(mu_);
  // Requires: the changes have been restored.
  Status RestoreLeasesLocked() REQUIRES(mu_);
  bool CompactStepLocked() REQUIRES(mu_);
  // After a write, without the lock.
  void Announce(Ticket ticket) const;
  void AnnounceFeed() const;
  void BecameSafe(Ticket ticket);

  const std::unique_ptr<Backend> own_;  // null when the backend is borrowed
  Backend& backend_;
  const Hooks& hooks_;
  std::function<void()> announce_;  // constant once announcing_
  std::atomic<bool> announcing_{false};
  std::atomic<bool> unannounced_{false};  // the newest commit of the feed is not to be announced
  mutable Mutex mu_;
  KeyIndex index_ GUARDED_BY(mu_){hooks_};
  ChangeLog log_ GUARDED_BY(mu_);
  LeaseTable leases_ GUARDED_BY(mu_);
  std::vector<KeptLease> recovered_leases_ GUARDED_BY(mu_);
  Revision current_ GUARDED_BY(mu_){1};
  Revision compacted_ GUARDED_BY(mu_){-1};
  // The ticket of `compacted_`, and the floor that is safe.
  Ticket floor_ticket_ GUARDED_BY(mu_);
  Revision safe_floor_ GUARDED_BY(mu_){-1};
  std::optional<Compaction> compaction_ GUARDED_BY(mu_);  // under way
  bool feeding_ GUARDED_BY(mu_) = false;
  std::deque<Unsafe> unsafe_ GUARDED_BY(mu_);
  Revision safe_ GUARDED_BY(mu_){1};  // the last revision that is safe
  std::vector<Commit> feed_ GUARDED_BY(mu_);
};

}  // namespace watchproof::store
