// SPDX-License-Identifier: Apache-2.0
// Leases: their time to live and their end, which deletes all their keys in one revision.
//
//   Lessor lessor(store, {}, Prng(seed));
//   WP_ASSIGN_OR_RETURN(const Granted granted, lessor.Grant({.ttl = 10}, now));
//   lessor.KeepAlive(granted.id, now);
//   TimePoint next = lessor.ExpireStep(now);   // again then, or when a grant makes it earlier
//
// After a restart every lease has its full time again, as etcd's have without checkpoints; with
// checkpoints, what was left at the last one.
// Time comes from the caller and never runs backwards. The attachment of keys to leases is kept in
// the store, where it changes together with the key. A lease that is granted here is added to the
// store before the grant is answered, and removed from the store only after it has ended here.
// Threads: any; the lock of the leases is not held while the store is called, that of the records
// is, and the store makes no callbacks. Ownership: borrows the store, which outlives it.
#pragma once

#include <cstdint>
#include <set>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "embedded_store/mvcc/mvcc_store.h"
#include "harness/base/deadline.h"
#include "harness/base/mutex.h"
#include "harness/base/prng.h"

namespace watchproof::store {

enum class Checkpoints { kNo, kYes };

// The values are etcd's, but for the interval. The shortest is one and a half election timeouts,
// rounded up to a second.
struct LeaseLimits {
  std::chrono::seconds shortest{2};
  std::chrono::seconds longest{9'000'000'000};
  Checkpoints checkpoints = Checkpoints::kNo;
  Duration checkpoint_interval = 5s;
};

struct LeaseRequest {
  LeaseId id = kNoLease;     // kNoLease: any that is free
  std::chrono::seconds ttl;  // raised to the shortest
};
struct Granted {
  Revision revision;
  Ticket ticket{};
  LeaseId id = kNoLease;
  std::chrono::seconds ttl;
};
struct LeaseState {
  std::chrono::seconds granted;
  std::chrono::seconds remaining;  // rounded down
  std::vector<std::string> keys;   // in order
};

class Lessor {
 public:
  Lessor(MvccStore& store, const LeaseLimits& limits, Prng ids);

  // Loads the leases that the store has recovered. Requires: once, before anything else.
  Status Recover(TimePoint now);

  Result<Granted> Grant(const LeaseRequest& request, TimePoint now);
  // Deletes its keys in the revision of the answer, which is the current one when there were none.
  Result<DeleteAnswer> Revoke(LeaseId id);
  // Its full time from now on, once everything staged is safe; ErrLeaseNotFound when it has ended,
  // even if its keys are still being deleted.
  Result<std::chrono::seconds> KeepAlive(LeaseId id, TimePoint now);
  Result<LeaseState> Find(LeaseId id, TimePoint now) const;
  // The next to expire first.
  std::vector<LeaseId> List() const;

  // Ends at most kMostPerStep expired leases, the longest overdue first. Returns when it has to run
  // next: now while expired leases are left, never while there are no leases at all.
  TimePoint ExpireStep(TimePoint now);
  static constexpr std::size_t kMostPerStep = 500;
  // Writes down how much time each lease has left. Returns when it has to run next: never without
  // checkpoints.
  TimePoint CheckpointStep(TimePoint now);
  static constexpr TimePoint kNeverExpires = TimePoint::max();

 private:
  // Only a lease in phase kAlive is visible. The other two phases keep its id from being granted
  // twice while the store is updated.
  enum class Phase { kComing, kAlive, kGoing };
  struct Lease {
    Phase phase = Phase::kComing;
    std::chrono::seconds ttl;
    TimePoint end{};
    bool has_checkpoint = false;
  };

  LeaseId ChooseIdLocked() REQUIRES(mu_);
  void PlanEndLocked(LeaseId id, TimePoint end) REQUIRES(mu_);
  // Moves the lease to kGoing; false when it is not kAlive.
  bool BeginEndLocked(LeaseId id) REQUIRES(mu_);
  std::vector<LeaseId> BeginOverdue(TimePoint now);
  DeleteAnswer FinishEnd(LeaseId id);

  MvccStore& store_;
  const LeaseLimits limits_;
  // Held while a record is changed, so that a checkpoint cannot overwrite what a keep-alive wrote
  // after it was taken. Always taken before the other.
  Mutex record_mu_;
  mutable Mutex mu_;
  Prng ids_ GUARDED_BY(mu_);
  std::unordered_map<LeaseId, Lease> leases_ GUARDED_BY(mu_);
  std::set<std::pair<TimePoint, LeaseId>> ends_ GUARDED_BY(mu_);  // of leases that are kAlive
};

}  // namespace watchproof::store
