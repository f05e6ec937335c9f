// SPDX-License-Identifier: Apache-2.0
// The part of the store that knows of leases.
#include <utility>

#include "embedded_store/mvcc/errors.h"
#include "embedded_store/mvcc/mvcc_store.h"
#include "harness/base/parse.h"

namespace watchproof::store {
namespace {

// In the lease bucket: the id in hexadecimal, as clients show it.
std::string LeaseKey(LeaseId id) { return fmt::format("{:016x}", static_cast<std::uint64_t>(id)); }

Result<LeaseId> ReadLeaseKey(std::string_view key) {
  const std::uint64_t id = ParseNumber<std::uint64_t>(key, 16).value_or(0);
  if (key.size() != 16 || id == 0) {
    return Fail(StatusCode::kDataLoss, "\"{}\" is no lease", key);
  }
  return static_cast<LeaseId>(id);
}

}  // namespace

Result<Ticket> MvccStore::AddLease(const KeptLease& lease) {
  WP_RETURN_IF_ERROR(backend_.Admit(lease.record.size(), Purpose::kGrow));
  MutexLock lock(mu_);
  leases_.Add(lease.id);
  return backend_.Stage({{Bucket::kLease, LeaseKey(lease.id), lease.record}});
}

Ticket MvccStore::UpdateLease(const KeptLease& lease) {
  MutexLock lock(mu_);
  if (!leases_.Contains(lease.id)) return backend_.staged();
  return backend_.Stage({{Bucket::kLease, LeaseKey(lease.id), lease.record}});
}

Result<DeleteAnswer> MvccStore::RemoveLease(LeaseId id) {
  DeleteAnswer all;
  {
    MutexLock lock(mu_);
    if (!leases_.Contains(id)) return ErrLeaseNotFound();
    const LeaseTable::Keys attached = leases_.KeysOf(id);  // a copy: each delete takes its key out
    if (hooks_.lease_end == LeaseEnd::kInOneEach) DeleteEachLocked(attached);
    WriteTxn txn = BeginLocked();
    for (const std::string& key : attached) txn.Delete({.range = KeyRange::Single(key)});
    all.deleted = static_cast<std::int64_t>(attached.size());
    leases_.Remove(id);
    all.revision = txn.now();
    all.ticket = CommitLocked(std::move(txn), {{Bucket::kLease, LeaseKey(id)}});
  }
  Announce(all.ticket);
  return all;
}

void MvccStore::DeleteEachLocked(const LeaseTable::Keys& keys) {
  for (const std::string& key : keys) {
    WriteTxn txn = BeginLocked();
    txn.Delete({.range = KeyRange::Single(key)});
    CommitLocked(std::move(txn));
  }
}

std::vector<std::string> MvccStore::KeysOfLease(LeaseId id) const {
  MutexLock lock(mu_);
  const LeaseTable::Keys& keys = leases_.KeysOf(id);
  return {keys.begin(), keys.end()};
}

std::vector<KeptLease> MvccStore::TakeRecoveredLeases() {
  MutexLock lock(mu_);
  return std::exchange(recovered_leases_, {});
}

Status MvccStore::RestoreLeasesLocked() {
  Status wrong;
  WP_RETURN_IF_ERROR(backend_.Load(
      Bucket::kLease, [&](std::string_view key, std::string_view record) REQUIRES(mu_) {
        const Result<LeaseId> id = ReadLeaseKey(key);
        if (id) recovered_leases_.push_back({.id = *id, .record = std::string(record)});
        if (!id && wrong.ok()) wrong = id.error();
      }));
  WP_RETURN_IF_ERROR(wrong);
  for (const KeptLease& lease : recovered_leases_) leases_.Add(lease.id);
  index_.VisitAt(KeyRange::From(std::string(1, '\0')), current_,
                 [&](const std::string& key, RevisionPair where) REQUIRES(mu_) {
                   leases_.Move(key, {.from = kNoLease, .to = log_.Get(where)->kv.lease});
                   return KeyIndex::Then::kGoOn;
                 });
  return {};
}

}  // namespace watchproof::store
