// SPDX-License-Identifier: Apache-2.0
#include "harness/explore/stepped/store_operations.h"

#include "harness/script/requests_of_steps.h"

namespace watchproof::explore {
namespace {

std::vector<store::Operation> OperationsOf(const std::vector<KvRequest>& requests) {
  std::vector<store::Operation> operations;
  for (const KvRequest& request : requests) {
    std::visit([&](const auto& one) { operations.emplace_back(ToStore(one)); }, request);
  }
  return operations;
}

// Targets and relations have etcd's numbers on both sides.
store::Compare CompareIn(const CompareRequest& compare) {
  return {.range = {compare.key, compare.range_end},
          .target = static_cast<store::CompareTarget>(compare.target),
          .result = static_cast<store::CompareResult>(compare.result),
          .number = compare.number,
          .value = compare.value};
}

}  // namespace

store::KeyRange RangeOf(const std::string& key, const std::string& end) {
  return {Placement().Key(key), Placement().End(end)};
}

store::PutOp ToStore(const PutRequest& put) {
  return {.key = put.key,
          .value = put.value,
          .lease = put.lease,
          .want_previous = put.previous,
          .ignore_value = put.keeps_value,
          .ignore_lease = put.keeps_lease};
}

store::DeleteOp ToStore(const DeleteRequest& erase) {
  return {.range = {erase.key, erase.range_end}, .want_previous = erase.previous};
}

store::RangeQuery ToStore(const ReadRequest& read) {
  return {.range = {read.key, read.range_end},
          .limit = read.limit,
          .at = read.revision,
          .order = static_cast<store::SortOrder>(read.order),
          .target = static_cast<store::SortTarget>(read.sort_by),
          .keys_only = read.keys_only,
          .count_only = read.count_only,
          .min_mod = read.min_mod,
          .max_mod = read.max_mod,
          .min_create = read.min_create,
          .max_create = read.max_create};
}

store::TxnOp ToStore(const TxnRequest& txn) {
  store::TxnOp op{
      .compares = {}, .success = OperationsOf(txn.success), .failure = OperationsOf(txn.failure)};
  for (const CompareRequest& compare : txn.compares) op.compares.push_back(CompareIn(compare));
  return op;
}

}  // namespace watchproof::explore
