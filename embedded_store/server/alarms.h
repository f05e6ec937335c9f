// SPDX-License-Identifier: Apache-2.0
// Alarms, and the quota on space that raises the NOSPACE alarm: writes are rejected until it is
// disarmed, while reads, deletes, compactions and watches continue.
//
//   Alarms alarms(backend, store, quota);
//   WP_RETURN_IF_ERROR(alarms.Recover());
//   WP_RETURN_IF_ERROR(alarms.AdmitGrowth(CostOf(put)));
//
// As in etcd the alarm is not disarmed automatically when there is room again. Changes are staged
// with the backend: an answer that shows alarms waits for all that is staged. Threads: any; one
// lock inside, under which only the backend is called. Ownership: borrows backend and store, which
// outlive it.
#pragma once

#include <atomic>
#include <cstdint>
#include <set>
#include <vector>

#include "embedded_store/backend/backend.h"
#include "embedded_store/mvcc/mvcc_store.h"
#include "embedded_store/mvcc/operations.h"
#include "harness/base/mutex.h"
#include "harness/base/status.h"

namespace watchproof::store {

// The numbers are etcd's.
enum class AlarmKind { kAny = 0, kNoSpace = 1, kCorrupt = 2 };

struct Alarm {
  AlarmKind kind = AlarmKind::kNoSpace;
  std::uint64_t member = 0;
  auto operator<=>(const Alarm&) const = default;
};

// etcd's: 0 means this many bytes, less than 0 means none.
inline constexpr std::int64_t kDefaultQuota = std::int64_t{2} << 30;

// By how much an operation can make the store grow, as etcd estimates it; 0 for what only reads or
// deletes. Of a transaction the dearer branch counts.
std::size_t CostOf(const PutOp& put);
std::size_t CostOf(const TxnOp& txn);
inline std::size_t CostOf(const DeleteOp&) { return 0; }
inline constexpr std::size_t kCostOfLease = 64;

class Alarms {
 public:
  Alarms(Backend& backend, const MvccStore& store, std::int64_t quota_bytes);
  // Takes up what the backend holds; kDataLoss when that is not ours. Requires: once, before
  // anything else.
  Status Recover();

  // Refused with etcd's errors while an alarm is raised, or when the quota would be passed, which
  // raises one. Always admits what costs nothing.
  Status AdmitGrowth(std::size_t bytes);
  // Refused only after corruption.
  Status AdmitChange() const;

  // The alarm, if this call raised or confirmed it.
  std::vector<Alarm> Activate(const Alarm& alarm);
  // The alarm, if there was one.
  std::vector<Alarm> Deactivate(const Alarm& alarm);
  std::vector<Alarm> Active(AlarmKind kind) const;
  // What is in force; less than 0: none.
  std::int64_t quota() const { return quota_; }

 private:
  void RecountLocked() REQUIRES(mu_);

  Backend& backend_;
  const MvccStore& store_;
  const std::int64_t quota_;
  // What active_ comes to, for every write to ask.
  std::atomic<bool> no_space_{false};
  std::atomic<bool> corrupt_{false};
  mutable Mutex mu_;
  std::set<Alarm> active_ GUARDED_BY(mu_);
};

}  // namespace watchproof::store
