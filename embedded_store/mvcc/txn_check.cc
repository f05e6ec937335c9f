// SPDX-License-Identifier: Apache-2.0
#include "embedded_store/mvcc/txn_check.h"

#include <algorithm>
#include <set>
#include <string>
#include <utility>

#include "embedded_store/mvcc/errors.h"

namespace watchproof::store {
namespace {

// What a list of operations may change, nested transactions included.
struct Footprint {
  std::set<std::string> puts;
  std::vector<KeyRange> deletes;

  bool Deletes(const std::string& key) const {
    return std::any_of(deletes.begin(), deletes.end(),
                       [&](const KeyRange& range) { return range.Contains(key); });
  }
};

Result<Footprint> Measure(const std::vector<Operation>& operations);

// `either` may hold keys already claimed by the other branch, with which this one never runs
// together.
Status Claim(const std::set<std::string>& puts, const std::set<std::string>* either,
             Footprint& into) {
  for (const std::string& key : puts) {
    const bool excluded = either != nullptr && either->contains(key);
    if ((into.puts.contains(key) && !excluded) || into.Deletes(key)) return ErrDuplicateKey();
    into.puts.insert(key);
  }
  return {};
}

Status MeasureNested(const TxnOp& txn, Footprint& into) {
  WP_ASSIGN_OR_RETURN(Footprint success, Measure(txn.success));
  WP_ASSIGN_OR_RETURN(Footprint failure, Measure(txn.failure));
  WP_RETURN_IF_ERROR(Claim(success.puts, nullptr, into));
  WP_RETURN_IF_ERROR(Claim(failure.puts, &success.puts, into));
  // Deletes of a nested transaction collide with puts of the levels above, not with those of its
  // siblings.
  into.deletes.insert(into.deletes.end(), success.deletes.begin(), success.deletes.end());
  into.deletes.insert(into.deletes.end(), failure.deletes.begin(), failure.deletes.end());
  return {};
}

Result<Footprint> Measure(const std::vector<Operation>& operations) {
  Footprint all;
  for (const Operation& operation : operations) {
    if (const auto* removal = std::get_if<DeleteOp>(&operation)) {
      all.deletes.push_back(removal->range);
    }
  }
  for (const Operation& operation : operations) {
    const auto* nested = std::get_if<TxnOp>(&operation);
    if (nested != nullptr) WP_RETURN_IF_ERROR(MeasureNested(*nested, all));
  }
  for (const Operation& operation : operations) {
    if (const auto* put = std::get_if<PutOp>(&operation)) {
      WP_RETURN_IF_ERROR(Claim({put->key}, nullptr, all));
    }
  }
  return all;
}

// `room`: how many operations a transaction may have.
Status CheckParts(const TxnOp& txn, std::size_t room);
Status CheckParts(std::monostate, std::size_t) { return ErrKeyNotFound(); }
template <typename Simple>
Status CheckParts(const Simple& operation, std::size_t) {
  return CheckRequest(operation);
}

// Those of a transaction in it count beside its own.
Status CheckParts(const TxnOp& txn, std::size_t room) {
  const std::size_t own = std::max({txn.compares.size(), txn.success.size(), txn.failure.size()});
  if (own > room) return ErrTooManyOperations();
  for (const Compare& compare : txn.compares) {
    if (compare.range.begin.empty()) return ErrEmptyKey();
  }
  for (const auto* branch : {&txn.success, &txn.failure}) {
    for (const Operation& operation : *branch) {
      WP_RETURN_IF_ERROR(
          std::visit([&](const auto& one) { return CheckParts(one, room - own); }, operation));
    }
  }
  return {};
}

}  // namespace

Status CheckRequest(const RangeQuery& query) {
  return query.range.begin.empty() ? ErrEmptyKey() : Status();
}

Status CheckRequest(const PutOp& put) {
  if (put.key.empty()) return ErrEmptyKey();
  if (put.ignore_value && !put.value.empty()) return ErrValueProvided();
  if (put.ignore_lease && put.lease != 0) return ErrLeaseProvided();
  return {};
}

Status CheckRequest(const DeleteOp& removal) {
  return removal.range.begin.empty() ? ErrEmptyKey() : Status();
}

Status CheckRequest(const TxnOp& txn) {
  WP_RETURN_IF_ERROR(CheckParts(txn, kMaxTxnOperations));
  WP_ASSIGN_OR_RETURN([[maybe_unused]] const Footprint success, Measure(txn.success));
  WP_ASSIGN_OR_RETURN([[maybe_unused]] const Footprint failure, Measure(txn.failure));
  return {};
}

}  // namespace watchproof::store
