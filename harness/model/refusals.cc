// SPDX-License-Identifier: Apache-2.0
#include "harness/model/refusals.h"

#include <algorithm>
#include <set>

#include "harness/model/key_range.h"

namespace watchproof {
namespace {

constexpr std::int64_t kMostOperations = 128;  // etcd, --max-txn-ops

Refusal NoKey(std::string_view what) { return {fmt::format("{} names no key", what)}; }

std::optional<Refusal> OfPut(std::string_view request) {
  PutRequestView put;
  if (!Parse(request, put).ok()) return std::nullopt;
  if (put.key.empty()) return NoKey("a put");
  if (put.ignore_value && !put.value.empty()) {
    return Refusal{"a put keeps the value of its key and names another"};
  }
  if (put.ignore_lease && put.lease != 0) {
    return Refusal{"a put keeps the lease of its key and names another"};
  }
  return std::nullopt;
}

// Each level of nested transactions takes what it has from what those in it may have.
std::optional<Refusal> ReasonWithin(Method method, std::string_view request, std::int64_t most) {
  if (method == Method::kPut) return OfPut(request);
  if (method == Method::kRange) {
    RangeRequestView range;
    if (Parse(request, range).ok() && range.key.empty()) return NoKey("a read");
  }
  if (method == Method::kDeleteRange) {
    DeleteRangeRequestView erase;
    if (Parse(request, erase).ok() && erase.key.empty()) return NoKey("a deletion");
  }
  TxnRequestView txn;
  if (method != Method::kTxn || !Parse(request, txn).ok()) return std::nullopt;
  const auto operations = static_cast<std::int64_t>(
      std::max({txn.compare.size(), txn.success.size(), txn.failure.size()}));
  if (operations > most) {
    return Refusal{fmt::format("it has {} compares or operations of a branch, more than the {} "
                               "that etcd allows by default",
                               operations, most),
                   true};
  }
  for (const std::string_view message : txn.compare) {
    CompareView compare;
    if (Parse(message, compare).ok() && compare.key.empty()) return NoKey("a compare");
  }
  for (const std::vector<OperationView>* branch : {&txn.success, &txn.failure}) {
    for (const OperationView& operation : *branch) {
      auto inner = ReasonWithin(operation.kind, operation.body, most - operations);
      if (inner) return inner;
    }
  }
  return std::nullopt;
}

void AddConditions(Method method, std::string_view request, Conditional& all) {
  PutRequestView put;
  RangeRequestView range;
  TxnRequestView txn;
  if (method == Method::kRange && Parse(request, range).ok()) {
    all.past = all.past || range.revision > 0;
  } else if (method == Method::kPut && Parse(request, put).ok()) {
    if (put.ignore_value || put.ignore_lease) all.kept.push_back(put.key);
    if (put.lease != 0) all.leases.push_back(put.lease);
  } else if (method == Method::kTxn && Parse(request, txn).ok()) {
    for (const std::vector<OperationView>* branch : {&txn.success, &txn.failure}) {
      all.twice = all.twice || ChangedTwice(*branch);
      for (const OperationView& operation : *branch) {
        all.nested = all.nested || operation.kind == Method::kTxn;
        AddConditions(operation.kind, operation.body, all);
      }
    }
  }
}

}  // namespace

std::optional<Refusal> ReasonToRefuse(Method method, std::string_view request) {
  return ReasonWithin(method, request, kMostOperations);
}

std::optional<Twice> ChangedTwice(const std::vector<OperationView>& branch) {
  std::set<std::string_view> puts;
  for (const OperationView& operation : branch) {
    PutRequestView put;
    if (operation.kind != Method::kPut || !Parse(operation.body, put).ok()) continue;
    if (!puts.insert(put.key).second) return Twice{std::string(put.key)};
  }
  for (const OperationView& operation : branch) {
    DeleteRangeRequestView erase;
    if (operation.kind != Method::kDeleteRange || !Parse(operation.body, erase).ok()) continue;
    const KeyRange range(erase.key, erase.range_end);
    for (const std::string_view key : puts) {
      if (range.Contains(key)) return Twice{std::string(key), range.open_ended()};
    }
  }
  return std::nullopt;
}

Conditional ConditionsOf(Method method, std::string_view request) {
  Conditional all;
  AddConditions(method, request, all);
  return all;
}

bool IsAboutContent(StatusCode code) {
  return code == StatusCode::kInvalidArgument || code == StatusCode::kNotFound ||
         code == StatusCode::kAlreadyExists || code == StatusCode::kFailedPrecondition ||
         code == StatusCode::kOutOfRange;
}

bool IsAboutUser(std::string_view words) {
  return words.find("user") != words.npos || words.find("auth") != words.npos;
}

}  // namespace watchproof
