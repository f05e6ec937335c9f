// SPDX-License-Identifier: Apache-2.0
// What the store and its leases should do, written as simply as possible: a full copy of every
// state there ever was, and a scan for every question. Shares requests and answers with the store,
// and no code that decides anything.
//
//   NaiveStore model;
//   model.Put({.key = "k", .value = "v"});
//   model.Range({.range = KeyRange::Single("k"), .at = Revision{1}});
//
// Not modelled: the ban on changing a key twice in one transaction; the caller of the model gets
// that from the store. Not thread-safe. Test code only.
#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "embedded_store/mvcc/lease_table.h"
#include "embedded_store/mvcc/operations.h"
#include "harness/base/deadline.h"
#include "harness/base/status.h"

namespace watchproof::store {

class NaiveStore {
 public:
  using State = std::map<std::string, KeyValue>;
  struct Lease {
    std::chrono::seconds ttl;
    TimePoint end;
  };

  Result<RangeAnswer> Range(const RangeQuery& query) const;
  Result<PutAnswer> Put(const PutOp& put);
  Result<DeleteAnswer> DeleteRange(const DeleteOp& removal);
  Result<TxnAnswer> Txn(const TxnOp& txn);
  Status Compact(Revision floor);

  void Grant(LeaseId id, const Lease& lease) { leases_.emplace(id, lease); }
  void EndLease(LeaseId id);
  // The key changes with each end: the next one first, ties by id.
  std::optional<LeaseId> NextOverdue(TimePoint now) const;
  std::map<LeaseId, Lease>& leases() { return leases_; }
  std::vector<std::string> KeysOf(LeaseId id) const;

  Revision current() const { return Revision{static_cast<std::int64_t>(states_.size()) - 1}; }
  Revision compacted() const { return compacted_; }
  // "put k=v@3 lease 0 was old", in order, of everything since a revision.
  std::vector<std::string> EventsFrom(Revision from) const;

 private:
  struct Happened {
    bool is_delete;
    KeyValue kv;
  };

  // The state that the operations under way work on.
  const State& open() const { return open_; }
  Revision next() const { return current().next(); }
  Revision shown() const { return open_events_.empty() ? current() : next(); }
  Status CheckRead(const RangeQuery& query) const;
  Status CheckPut(const PutOp& put) const;
  bool Holds(const Compare& compare) const;
  enum class Checked { kPuts, kReads };
  Status CheckBranches(const TxnOp& txn, Checked what, std::vector<bool>& taken) const;

  RangeAnswer DoRange(const RangeQuery& query) const;
  PutAnswer DoPut(const PutOp& put);
  DeleteAnswer DoDelete(const DeleteOp& removal);
  TxnAnswer DoTxn(const TxnOp& txn, const std::vector<bool>& taken, std::size_t& place);
  void Commit();

  std::vector<State> states_{State{}, State{}};  // by revision; an empty store is at 1
  std::vector<std::vector<Happened>> happened_{{}, {}};
  State open_;
  std::vector<Happened> open_events_;
  Revision compacted_{-1};
  std::map<LeaseId, Lease> leases_;
};

}  // namespace watchproof::store
