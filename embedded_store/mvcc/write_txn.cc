// SPDX-License-Identifier: Apache-2.0
#include "embedded_store/mvcc/write_txn.h"

#include <memory>
#include <utility>

#include "embedded_store/mvcc/errors.h"

namespace watchproof::store {

Status WriteTxn::CheckAgainstStore(const PutOp& put) const {
  if ((put.ignore_value || put.ignore_lease) && !index_.FindAt(put.key, now())) {
    return ErrKeyNotFound();
  }
  if (put.lease != kNoLease && !leases_.Contains(put.lease)) return ErrLeaseNotFound();
  return {};
}

PutAnswer WriteTxn::Put(const PutOp& put) {
  PutAnswer answer;
  const ChangePtr before = view().FindAt(put.key, now());
  if (put.want_previous && before) answer.previous = before->kv;
  Change change{.kind = ChangeKind::kPut,
                .sub = static_cast<std::int64_t>(events_.size()),
                .kv = {.key = put.key, .value = put.value, .lease = put.lease}};
  // The key existed when the transaction was checked, but an earlier operation of it may have
  // deleted the key. etcd crashes then; here there is no value to keep.
  if (put.ignore_value && before) change.kv.value = before->kv.value;
  if (put.ignore_lease && before) change.kv.lease = before->kv.lease;
  leases_.Move(put.key, {.from = before ? before->kv.lease : kNoLease, .to = change.kv.lease});
  const KeyIndex::Lineage lineage = index_.Put(put.key, {begin_.next(), change.sub});
  change.kv.create = lineage.create;
  change.kv.version = lineage.version;
  Record(std::move(change));
  answer.revision = now();
  return answer;
}

DeleteAnswer WriteTxn::Delete(const DeleteOp& removal) {
  DeleteAnswer answer;
  std::vector<std::string> deleted;
  index_.VisitAt(removal.range, now(), [&](const std::string& key, RevisionPair where) {
    const KeyValue& kv = log_.Get(where)->kv;
    deleted.push_back(key);
    leases_.Move(key, {.from = kv.lease, .to = kNoLease});
    if (removal.want_previous) answer.previous.push_back(kv);
    return KeyIndex::Then::kGoOn;
  });
  for (std::string& key : deleted) {
    const auto sub = static_cast<std::int64_t>(events_.size());
    index_.Delete(key, {begin_.next(), sub});
    Record({.kind = ChangeKind::kDelete, .sub = sub, .kv = {.key = std::move(key), .value = {}}});
  }
  answer.deleted = static_cast<std::int64_t>(deleted.size());
  answer.revision = now();
  return answer;
}

void WriteTxn::Record(Change change) {
  change.kv.mod = begin_.next();
  auto shared = std::make_shared<const Change>(std::move(change));
  log_.Append({shared->kv.mod, shared->sub}, shared);
  // Watchers are promised the value one revision earlier, not the one before an earlier operation
  // of this transaction.
  // The one that made its key has none, even if the transaction deleted the key before.
  const bool made = shared->kind == ChangeKind::kPut && shared->kv.create == shared->kv.mod;
  const auto where = index_.FindAt(shared->kv.key, hooks_.previous_sought(shared->kv.mod));
  ChangePtr previous = where && !made ? log_.Get(*where) : nullptr;
  events_.push_back({.change = std::move(shared), .previous = std::move(previous)});
}

}  // namespace watchproof::store
