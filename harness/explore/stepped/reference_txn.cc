// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <set>

#include "harness/explore/stepped/reference_store.h"

namespace watchproof::explore {
namespace {

constexpr std::size_t kMostOperations = 128;

Status NeedsKey(const std::string& key) {
  return key.empty() ? Invalid("etcdserver: key is not provided") : Status();
}
bool IsOpen(const store::KeyRange& range) { return range.end == std::string(1, '\0'); }

template <typename T>
bool Related(store::CompareResult relation, const T& actual, const T& wanted) {
  // In the order of the relations; the last is for one that etcd does not know.
  const bool holds[] = {actual == wanted, actual > wanted, actual < wanted, actual != wanted, true};
  return holds[static_cast<std::size_t>(relation)];
}

bool IsTrueOf(const store::Compare& compare, const store::KeyValue& kv) {
  if (compare.target == store::CompareTarget::kValue) {
    return Related(compare.result, kv.value, compare.value);
  }
  const std::int64_t numbers[] = {kv.version, kv.create.value, kv.mod.value, 0, kv.lease};
  return Related(compare.result, numbers[static_cast<std::size_t>(compare.target)], compare.number);
}

// What some operations may change, and whether one key twice.
struct Changed {
  std::set<std::string> puts;
  std::vector<store::KeyRange> erased;
  bool twice = false;

  // Only one of two branches runs, so that both may put a key.
  void Put(const std::string& key, const std::set<std::string>& other_branch = {}) {
    const bool gone =
        std::ranges::any_of(erased, [&](const auto& range) { return Holds(range, key); });
    const bool known = !puts.insert(key).second;
    twice = twice || gone || (known && !other_branch.contains(key));
  }
};

Changed ChangedBy(const std::vector<store::Operation>& operations) {
  Changed all;
  for (const store::Operation& one : operations) {
    if (const auto* erase = std::get_if<store::DeleteOp>(&one)) all.erased.push_back(erase->range);
  }
  for (const store::Operation& one : operations) {
    const auto* nested = std::get_if<store::TxnOp>(&one);
    if (nested == nullptr) continue;
    const Changed success = ChangedBy(nested->success);
    const Changed failure = ChangedBy(nested->failure);
    for (const std::string& key : success.puts) all.Put(key);
    for (const std::string& key : failure.puts) all.Put(key, success.puts);
    all.erased.insert(all.erased.end(), success.erased.begin(), success.erased.end());
    all.erased.insert(all.erased.end(), failure.erased.begin(), failure.erased.end());
    all.twice = all.twice || success.twice || failure.twice;
  }
  for (const store::Operation& one : operations) {
    if (const auto* put = std::get_if<store::PutOp>(&one)) all.Put(put->key);
  }
  return all;
}

Status CheckParts(const store::TxnOp& txn, std::size_t room) {
  const std::size_t own = std::max({txn.compares.size(), txn.success.size(), txn.failure.size()});
  if (own > room) return Invalid("etcdserver: too many operations in txn request");
  Status wrong;
  const auto note = [&wrong](Status one) {
    if (wrong.ok()) wrong = std::move(one);
  };
  for (const store::Compare& compare : txn.compares) note(NeedsKey(compare.range.begin));
  for (const auto* branch : {&txn.success, &txn.failure}) {
    for (const store::Operation& one : *branch) {
      if (const auto* query = std::get_if<store::RangeQuery>(&one)) note(CheckForm(*query));
      if (const auto* put = std::get_if<store::PutOp>(&one)) note(CheckForm(*put));
      if (const auto* erase = std::get_if<store::DeleteOp>(&one)) note(CheckForm(*erase));
      if (const auto* nested = std::get_if<store::TxnOp>(&one))
        note(CheckParts(*nested, room - own));
    }
  }
  return wrong;
}

}  // namespace

bool Holds(const store::KeyRange& range, const std::string& key) {
  if (range.end.empty()) return key == range.begin;
  return range.begin <= key && (IsOpen(range) || key < range.end);
}

bool IsTrue(const store::Compare& compare, const std::vector<store::KeyValue>& held) {
  // No key counts as one that is all zeros, but nothing is true of its value.
  if (held.empty()) {
    return compare.target != store::CompareTarget::kValue && IsTrueOf(compare, {});
  }
  return std::ranges::all_of(held,
                             [&](const store::KeyValue& kv) { return IsTrueOf(compare, kv); });
}

std::size_t SizeOf(const store::PutOp& put) { return put.key.size() + put.value.size(); }
std::size_t SizeOf(const store::TxnOp& txn) {
  std::size_t size = 0;
  for (const auto* branch : {&txn.success, &txn.failure}) {
    for (const store::Operation& one : *branch) {
      if (const auto* put = std::get_if<store::PutOp>(&one)) size += SizeOf(*put);
      if (const auto* nested = std::get_if<store::TxnOp>(&one)) size += SizeOf(*nested);
    }
  }
  return size;
}

Status CheckForm(const store::RangeQuery& query) { return NeedsKey(query.range.begin); }
Status CheckForm(const store::DeleteOp& erase) { return NeedsKey(erase.range.begin); }
Status CheckForm(const store::PutOp& put) {
  if (put.key.empty()) return NeedsKey(put.key);
  if (put.ignore_value && !put.value.empty()) return Invalid("etcdserver: value is provided");
  if (put.ignore_lease && put.lease != 0) return Invalid("etcdserver: lease is provided");
  return {};
}

Status CheckForm(const store::TxnOp& txn) {
  WP_RETURN_IF_ERROR(CheckParts(txn, kMostOperations));
  if (ChangedBy(txn.success).twice || ChangedBy(txn.failure).twice) {
    return Invalid("etcdserver: duplicate key given in txn request");
  }
  return {};
}

}  // namespace watchproof::explore
