// SPDX-License-Identifier: Apache-2.0
#include "embedded_store/lease/lessor.h"

#include <algorithm>

#include "embedded_store/mvcc/errors.h"
#include "harness/base/check.h"
#include "harness/base/parse.h"

namespace watchproof::store {

using std::chrono::seconds;

namespace {

// The stored record of a lease: its time to live, and the time left at the last checkpoint; 0 when
// there was none since it was granted or kept alive.
struct Record {
  seconds ttl;
  seconds left{0};
};

std::string Write(const Record& record) {
  return fmt::format("{} {}", record.ttl.count(), record.left.count());
}

Result<Record> Read(std::string_view text) {
  const std::size_t space = std::min(text.find(' '), text.size());
  const auto ttl = ParseNumber<std::int64_t>(text.substr(0, space));
  const auto left = ParseNumber<std::int64_t>(text.substr(std::min(space + 1, text.size())));
  if (!ttl || !left || *ttl < 0 || *left < 0 || *left > *ttl) {
    return Fail(StatusCode::kDataLoss, "its record is damaged");
  }
  return Record{.ttl = seconds(*ttl), .left = seconds(*left)};
}

}  // namespace

Lessor::Lessor(MvccStore& store, const LeaseLimits& limits, Prng ids)
    : store_(store), limits_(limits), ids_(std::move(ids)) {}

Status Lessor::Recover(TimePoint now) {
  for (const auto& [id, text] : store_.TakeRecoveredLeases()) {
    const Result<Record> record = Read(text);
    if (!record) return record.error().WithContext("lease {:x}", id);
    const bool as_left = limits_.checkpoints == Checkpoints::kYes && record->left > seconds::zero();
    MutexLock lock(mu_);
    leases_.emplace(id, Lease{.phase = Phase::kAlive,
                              .ttl = record->ttl,
                              .has_checkpoint = record->left > seconds::zero()});
    PlanEndLocked(id, now + (as_left ? record->left : record->ttl));
  }
  return {};
}

Result<Granted> Lessor::Grant(const LeaseRequest& request, TimePoint now) {
  if (request.ttl > limits_.longest) return ErrLeaseTtlTooLarge();
  Granted granted{.id = request.id, .ttl = std::max(request.ttl, limits_.shortest)};
  {
    MutexLock lock(mu_);
    if (granted.id == kNoLease) granted.id = ChooseIdLocked();
    const bool is_new =
        leases_.try_emplace(granted.id, Lease{.phase = Phase::kComing, .ttl = granted.ttl}).second;
    if (!is_new) return ErrLeaseExists();
  }
  const Result<Ticket> ticket =
      store_.AddLease({.id = granted.id, .record = Write({.ttl = granted.ttl})});
  granted.revision = store_.current();
  MutexLock lock(mu_);
  if (!ticket) {
    leases_.erase(granted.id);
    return ticket.error();
  }
  granted.ticket = *ticket;
  leases_.at(granted.id).phase = Phase::kAlive;
  PlanEndLocked(granted.id, now + granted.ttl);
  return granted;
}

Result<DeleteAnswer> Lessor::Revoke(LeaseId id) {
  {
    MutexLock lock(mu_);
    if (!BeginEndLocked(id)) return ErrLeaseNotFound();
  }
  return FinishEnd(id);
}

Result<seconds> Lessor::KeepAlive(LeaseId id, TimePoint now) {
  MutexLock order(record_mu_);
  seconds ttl;
  {
    MutexLock lock(mu_);
    const auto found = leases_.find(id);
    if (found == leases_.end() || found->second.phase != Phase::kAlive) return ErrLeaseNotFound();
    ttl = found->second.ttl;
    PlanEndLocked(id, now + ttl);
    if (!std::exchange(found->second.has_checkpoint, false)) return ttl;
  }
  // A restart must not undo what the client is about to be answered.
  store_.UpdateLease({.id = id, .record = Write({.ttl = ttl})});
  return ttl;
}

Result<LeaseState> Lessor::Find(LeaseId id, TimePoint now) const {
  LeaseState state;
  {
    MutexLock lock(mu_);
    const auto found = leases_.find(id);
    if (found == leases_.end() || found->second.phase != Phase::kAlive) return ErrLeaseNotFound();
    state.granted = found->second.ttl;
    state.remaining = std::chrono::floor<seconds>(std::max(found->second.end - now, Duration(0)));
  }
  state.keys = store_.KeysOfLease(id);
  return state;
}

std::vector<LeaseId> Lessor::List() const {
  MutexLock lock(mu_);
  std::vector<LeaseId> ids;
  for (const auto& [end, id] : ends_) ids.push_back(id);
  return ids;
}

TimePoint Lessor::ExpireStep(TimePoint now) {
  for (const LeaseId id : BeginOverdue(now)) FinishEnd(id);
  MutexLock lock(mu_);
  return ends_.empty() ? kNeverExpires : std::max(now, ends_.begin()->first);
}

TimePoint Lessor::CheckpointStep(TimePoint now) {
  if (limits_.checkpoints == Checkpoints::kNo) return kNeverExpires;
  MutexLock order(record_mu_);
  std::vector<std::pair<LeaseId, Record>> records;
  {
    MutexLock lock(mu_);
    for (const auto& [end, id] : ends_) {
      Lease& lease = leases_.at(id);
      const seconds left = std::chrono::ceil<seconds>(end - now);
      if (left <= seconds::zero() || left >= lease.ttl) continue;
      lease.has_checkpoint = true;
      records.emplace_back(id, Record{.ttl = lease.ttl, .left = left});
    }
  }
  for (const auto& [id, record] : records) store_.UpdateLease({.id = id, .record = Write(record)});
  return now + limits_.checkpoint_interval;
}

LeaseId Lessor::ChooseIdLocked() {
  LeaseId id = kNoLease;
  // 63 bits: clients treat a negative id as an error.
  while (id == kNoLease || leases_.contains(id)) id = static_cast<LeaseId>(ids_.Next() >> 1);
  return id;
}

void Lessor::PlanEndLocked(LeaseId id, TimePoint end) {
  Lease& lease = leases_.at(id);
  ends_.erase({lease.end, id});
  lease.end = end;
  ends_.emplace(end, id);
}

bool Lessor::BeginEndLocked(LeaseId id) {
  const auto found = leases_.find(id);
  if (found == leases_.end() || found->second.phase != Phase::kAlive) return false;
  found->second.phase = Phase::kGoing;
  ends_.erase({found->second.end, id});
  return true;
}

std::vector<LeaseId> Lessor::BeginOverdue(TimePoint now) {
  MutexLock lock(mu_);
  std::vector<LeaseId> overdue;
  while (overdue.size() < kMostPerStep && !ends_.empty() && ends_.begin()->first <= now) {
    const LeaseId id = ends_.begin()->second;
    overdue.push_back(id);
    BeginEndLocked(id);
  }
  return overdue;
}

DeleteAnswer Lessor::FinishEnd(LeaseId id) {
  auto removed = store_.RemoveLease(id);
  WP_CHECK(removed.has_value(), "a lease goes here first, then in the store, and only once");
  MutexLock lock(mu_);
  leases_.erase(id);
  return *std::move(removed);
}

}  // namespace watchproof::store
