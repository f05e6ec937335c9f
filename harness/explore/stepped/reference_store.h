// SPDX-License-Identifier: Apache-2.0
// What a store has to answer, call by call: every state it was ever in, as plain maps, with etcd's
// semantics. Nothing of the embedded store's code is in it but the structs of the calls.
//
//   ReferenceStore reference(disk);
//   const auto expected = reference.Put(op);        // before the store itself is asked
//   reference.Restart(kept, now);                   // what was staged up to here is still there
//
// Not thread-safe. Ownership: borrows the disk, of which it only asks how many writes were staged.
#pragma once

#include <chrono>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "embedded_store/lease/lessor.h"
#include "embedded_store/mvcc/operations.h"
#include "harness/base/deadline.h"
#include "harness/base/status.h"
#include "harness/explore/stepped/virtual_disk.h"

namespace watchproof::explore {

class ReferenceStore {
 public:
  explicit ReferenceStore(const VirtualDisk& disk) : disk_(disk) {}

  Result<store::RangeAnswer> Range(const store::RangeQuery& query) const;
  Result<store::PutAnswer> Put(const store::PutOp& put);
  Result<store::DeleteAnswer> Delete(const store::DeleteOp& erase);
  Result<store::TxnAnswer> Txn(const store::TxnOp& txn);
  Result<store::CompactAnswer> Compact(std::int64_t at);

  // If the id is 0, the store has chosen it, and may have staged something since `before`.
  Result<store::Granted> Grant(const store::LeaseRequest& request, std::int64_t chosen,
                               TimePoint now, store::Ticket before);
  // The answer to a revocation, too, holds nothing but the revision.
  Result<store::CompactAnswer> Revoke(std::int64_t id);
  Result<std::chrono::seconds> KeepAlive(std::int64_t id, TimePoint now);
  Result<store::LeaseState> Find(std::int64_t id, TimePoint now) const;
  // The next to end first.
  std::vector<std::int64_t> Leases() const;
  // Those that are overdue end.
  void Expire(TimePoint now);
  // What is left of each lease is written down; a restart goes on with that.
  void Checkpoint(TimePoint now);

  // The first revision from one through another that changed a key of the range, by a put or by a
  // deletion as the kinds say; 0: none.
  struct Kinds {
    bool puts = true;
    bool deletes = true;
  };
  std::int64_t FirstChange(const store::KeyRange& range, Kinds kinds, std::int64_t from,
                           std::int64_t through) const;

  // The changes that reads and watches at or above the compaction floor still need.
  std::int64_t KeptChanges() const;

  // Those of the staged writes up to `kept` are still there.
  void Restart(store::Ticket kept, TimePoint now);

 private:
  using Keys = std::map<std::string, store::KeyValue>;
  struct Lease {
    std::chrono::seconds time{};
    std::chrono::seconds left{};  // as written down; 0: not at all
    TimePoint end{};
  };
  struct State {
    std::int64_t head = 1;
    std::int64_t floor = -1;
    std::map<std::int64_t, Lease> leases;
  };
  struct Saved {
    store::Ticket ticket;  // of the write that makes it last
    State state;
  };
  // One transaction: its changes become the next state together.
  struct Changing {
    Keys keys;
    std::int64_t changes = 0;
  };

  const Changing& At(std::int64_t revision) const {
    return states_[static_cast<std::size_t>(revision - 1)];
  }
  const Keys& keys() const { return At(now_.head).keys; }
  Changing Begin() const { return {keys()}; }
  std::int64_t Head(const Changing& changing) const {
    return now_.head + (changing.changes > 0 ? 1 : 0);
  }
  // The write is the `ahead`-th of those that are not staged yet.
  void End(Changing changing, std::uint64_t ahead = 1);
  void Save(std::uint64_t ahead = 1) { Save(disk_.last().plus(ahead)); }
  void Save(store::Ticket ticket) { saved_.push_back({ticket, now_}); }
  void EndLease(std::int64_t id, std::uint64_t ahead);

  Status Check(const store::PutOp& put, const Keys& keys) const;
  Status Check(const store::RangeQuery& query, std::int64_t head) const;
  store::RangeAnswer Read(const store::RangeQuery& query, const Keys& keys,
                          std::int64_t head) const;
  store::PutAnswer Apply(const store::PutOp& put, Changing& changing) const;
  store::DeleteAnswer Apply(const store::DeleteOp& erase, Changing& changing) const;
  store::TxnAnswer Apply(const store::TxnOp& txn, Changing& changing) const;
  bool Succeeds(const store::TxnOp& txn) const;
  // What puts nothing is always done.
  Status CheckRoom(std::size_t bytes) const;
  Status CheckBranch(const store::TxnOp& txn) const;
  template <typename Operation>
  Status CheckEach(const store::TxnOp& txn, const auto& check) const;

  const VirtualDisk& disk_;
  std::vector<Changing> states_{Changing()};  // by revision, from 1
  State now_;
  std::vector<Saved> saved_;
};

// What needs no state: ranges, comparisons, and which requests are wrong in themselves.
inline Status Invalid(const char* text) { return {StatusCode::kInvalidArgument, text}; }
bool Holds(const store::KeyRange& range, const std::string& key);
// For what the keys of its range hold.
bool IsTrue(const store::Compare& compare, const std::vector<store::KeyValue>& held);

// The bytes of what is put, whichever branch will run.
std::size_t SizeOf(const store::PutOp& put);
std::size_t SizeOf(const store::TxnOp& txn);

Status CheckForm(const store::RangeQuery& query);
Status CheckForm(const store::PutOp& put);
Status CheckForm(const store::DeleteOp& erase);
Status CheckForm(const store::TxnOp& txn);

}  // namespace watchproof::explore
