// SPDX-License-Identifier: Apache-2.0
// One transaction under construction: all its changes share one main revision, and its reads see
// its own changes.
//
//   WriteTxn txn(index, log, leases, current, compacted, hooks);
//   txn.Put(...); txn.Delete(...);
//   Commit commit = std::move(txn).Finish();   // commit.revision == current when nothing changed
//
// Changes are applied to index, log and lease table at once and cannot be undone, so every check
// comes before the first change. Not thread-safe. Ownership: borrows everything it is given, which
// outlives it.
#pragma once

#include <cstdint>

#include "embedded_store/mvcc/lease_table.h"
#include "embedded_store/mvcc/read_view.h"

namespace watchproof::store {

class WriteTxn {
 public:
  WriteTxn(KeyIndex& index, ChangeLog& log, LeaseTable& leases, Revision begin, Revision compacted,
           const Hooks& hooks)
      : index_(index),
        log_(log),
        leases_(leases),
        begin_(begin),
        compacted_(compacted),
        hooks_(hooks) {}

  // The revision its reads see: one up as soon as something changed.
  Revision now() const { return events_.empty() ? begin_ : begin_.next(); }
  ReadView view() const { return ReadView(index_, log_, now(), compacted_); }
  Status CheckAgainstStore(const PutOp& put) const;
  // Requires: the operation passed its checks.
  PutAnswer Put(const PutOp& put);
  DeleteAnswer Delete(const DeleteOp& removal);
  Commit Finish() && { return {.revision = now(), .events = std::move(events_)}; }

 private:
  void Record(Change change);

  KeyIndex& index_;
  ChangeLog& log_;
  LeaseTable& leases_;
  const Revision begin_;
  const Revision compacted_;
  const Hooks& hooks_;
  std::vector<Event> events_;
};

// Decides every comparison, nested ones too, against the state before it; then runs the chosen
// branches, unless there is something in them that cannot be done: then nothing is.
Result<TxnAnswer> RunTxn(const TxnOp& request, WriteTxn& txn);

}  // namespace watchproof::store
