// SPDX-License-Identifier: Apache-2.0
#include "harness/explore/operations.h"

#include <charconv>
#include <utility>
#include <vector>

namespace watchproof::explore {
namespace {

constexpr const char* kEverything = "*";
const std::string kZeroByte(1, '\0');

// Targets and relations have etcd's numbers on both sides.
store::Compare CompareOf(const Condition& condition, const Placement& placement) {
  store::Compare compare{.range = placement.Range(condition.key, condition.end),
                         .target = static_cast<store::CompareTarget>(condition.target),
                         .result = static_cast<store::CompareResult>(condition.relation)};
  if (condition.target == Condition::Target::kValue) {
    compare.value = condition.value;
  } else {
    const std::string& digits = condition.value;
    std::from_chars(digits.data(), digits.data() + digits.size(), compare.number);
    if (condition.target == Condition::Target::kLease) {
      compare.number = placement.Lease(compare.number);
    }
  }
  return compare;
}

std::vector<store::Operation> OperationsOf(const std::vector<TxnPart>& parts,
                                           const Placement& placement, Values& values) {
  std::vector<store::Operation> operations;
  for (const TxnPart& part : parts) {
    const store::KeyRange range = placement.Range(part.key, part.end);
    if (part.kind == TxnPart::Kind::kPut) {
      operations.push_back(store::PutOp{
          .key = range.begin, .value = values.Next(0), .lease = placement.Lease(part.lease)});
    } else if (part.kind == TxnPart::Kind::kDelete) {
      operations.push_back(store::DeleteOp{.range = range, .want_previous = true});
    } else {
      operations.push_back(store::RangeQuery{.range = range});
    }
  }
  return operations;
}

}  // namespace

std::string Placement::Key(const std::string& key) const {
  if (key == kEverything) return prefix_.empty() ? kZeroByte : prefix_;
  return key.empty() ? key : prefix_ + key;
}

std::string Placement::End(const std::string& end) const {
  if (end != kEverything) return end.empty() ? end : prefix_ + end;
  if (prefix_.empty()) return kZeroByte;
  std::string after = prefix_;
  ++after.back();
  return after;
}

// A key that is not below the prefix stands for everything: scripts name no other.
std::string Placement::Word(std::string_view key) const {
  const bool placed = key.starts_with(prefix_) && key != kZeroByte;
  return !placed || key.size() == prefix_.size() ? kEverything
                                                 : std::string(key.substr(prefix_.size()));
}

std::string Placement::EndWord(const std::string& end) const {
  return end.empty() ? end : end == End(kEverything) ? kEverything : Word(end);
}

std::string Values::Next(std::int64_t bytes) {
  std::string value = fmt::format("v{}", ++given);
  if (static_cast<std::int64_t>(value.size()) < bytes) {
    value.resize(static_cast<std::size_t>(bytes), '.');
  }
  return value;
}

Create CreateOf(int stream, const WatchCreate& watch, const Placement& placement) {
  return {.stream = stream,
          .key = placement.Word(watch.key),
          .end = placement.EndWord(watch.range_end),
          .start = {Place::From::kNumber, watch.start.value},
          .id = watch.id.value,
          .options = watch.options};
}

store::PutOp OperationOf(const Put& put, const Placement& placement, Values& values) {
  return {.key = placement.Key(put.key),
          .value = put.ignore_value && put.bytes == 0 ? std::string() : values.Next(put.bytes),
          .lease = placement.Lease(put.lease),
          .want_previous = put.prev_kv,
          .ignore_value = put.ignore_value,
          .ignore_lease = put.ignore_lease};
}

store::DeleteOp OperationOf(const Delete& erase, const Placement& placement) {
  return {.range = placement.Range(erase.key, erase.end), .want_previous = erase.prev_kv};
}

store::TxnOp OperationOf(const Txn& txn, const Placement& placement, Values& values) {
  store::TxnOp op{.success = OperationsOf(txn.then, placement, values),
                  .failure = OperationsOf(txn.otherwise, placement, values)};
  for (const Condition& condition : txn.when)
    op.compares.push_back(CompareOf(condition, placement));
  for (const Txn& one : txn.nested) {
    store::TxnOp nested = OperationOf(one, placement, values);
    op.failure.push_back(nested);
    op.success.push_back(std::move(nested));
  }
  return op;
}

store::RangeQuery OperationOf(const Get& get, const Placement& placement, std::int64_t at) {
  return {.range = placement.Range(get.key, get.end),
          .limit = get.limit,
          .at = Revision(at),
          .order = get.descending ? store::SortOrder::kDescend : store::SortOrder::kNone,
          .target = static_cast<store::SortTarget>(get.sort_by),
          .keys_only = get.keys_only,
          .count_only = get.count_only,
          .min_mod = Revision(get.min_mod),
          .max_mod = Revision(get.max_mod),
          .min_create = Revision(get.min_create),
          .max_create = Revision(get.max_create)};
}

}  // namespace watchproof::explore
