// SPDX-License-Identifier: Apache-2.0
// A key-value store that keeps every version since the last compaction, with etcd's semantics.
//
//   MvccStore store;
//   store.Put({.key = "k", .value = "v"});                       // revision 2: an empty store is
//   at 1 store.Range({.range = KeyRange::Single("k"), .at = Revision{2}});
//   store.Compact(Revision{2});
//
// Watch layers read it in two ways: the feed of commits as they happen, and the history since a
// revision. Threads: any; one lock inside, under which nothing outside is called. Ownership:
// everything by value; changes are shared and immutable.
#pragma once

#include <cstddef>
#include <vector>

#include "embedded_store/mvcc/backend.h"
#include "embedded_store/mvcc/change.h"
#include "embedded_store/mvcc/key_index.h"
#include "embedded_store/mvcc/operations.h"
#include "embedded_store/mvcc/write_txn.h"
#include "harness/base/mutex.h"
#include "harness/base/status.h"

namespace watchproof::store {

enum class WithPrevious { kNo, kYes };

// Changes between two revisions; empty and marked when compaction has taken some of them.
struct History {
  bool compacted = false;
  std::vector<Event> events;
};

class MvccStore {
 public:
  Result<RangeAnswer> Range(const RangeQuery& query) const;
  Result<PutAnswer> Put(const PutOp& put);
  // Uses up a revision only when a key was there to delete.
  Result<DeleteAnswer> DeleteRange(const DeleteOp& removal);
  // Uses up one revision when anything changed, whatever the number of changes. A refused
  // transaction changes nothing.
  Result<TxnAnswer> Txn(const TxnOp& txn);
  // Afterwards reads and watches below `floor` are refused. Returns the current revision.
  Result<Revision> Compact(Revision floor);

  Revision current() const;
  // -1 before the first compaction.
  Revision compacted() const;
  // Number of changes kept.
  std::size_t size() const;

  // Both ends included, in order.
  History ReadHistory(Revision from, Revision to, WithPrevious previous) const;

  // From now on commits are kept for TakeCommits. There is one consumer; while nobody asks, nothing
  // is kept. Returns the revision after which the feed begins.
  Revision OpenFeed();
  // In order and without gaps. The feed has no bound of its own: its consumer never waits for a
  // watcher, and writers can look at waiting_commits and hold back.
  std::vector<Commit> TakeCommits();
  std::size_t waiting_commits() const;

 private:
  ReadView ViewLocked() const REQUIRES(mu_);
  WriteTxn BeginLocked() REQUIRES(mu_);
  Revision CommitLocked(WriteTxn txn) REQUIRES(mu_);

  mutable Mutex mu_;
  KeyIndex index_ GUARDED_BY(mu_);
  Backend backend_ GUARDED_BY(mu_);
  Revision current_ GUARDED_BY(mu_){1};
  Revision compacted_ GUARDED_BY(mu_){-1};
  bool feeding_ GUARDED_BY(mu_) = false;
  std::vector<Commit> feed_ GUARDED_BY(mu_);
};

}  // namespace watchproof::store
