// SPDX-License-Identifier: Apache-2.0
#include "harness/model/refusals.h"

#include <algorithm>
#include <set>
#include <utility>

#include "harness/model/key_range.h"

namespace watchproof {
namespace {

// etcd's defaults.
constexpr std::int64_t kMostOperations = 128;    // --max-txn-ops
constexpr std::int64_t kMostBytes = 1536 << 10;  // --max-request-bytes
// A request counts with what members send along with it.
constexpr std::int64_t kSentAlong = 512;

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

std::optional<Refusal> ReasonOfForm(Method method, std::string_view request) {
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
  for (const std::string_view message : txn.compare) {
    CompareView compare;
    if (Parse(message, compare).ok() && compare.key.empty()) return NoKey("a compare");
  }
  for (const std::vector<OperationView>* branch : {&txn.success, &txn.failure}) {
    for (const OperationView& operation : *branch) {
      auto inner = ReasonOfForm(operation.kind, operation.body);
      if (inner) return inner;
    }
  }
  return std::nullopt;
}

// What the operations of a branch change, with those of transactions in it.
struct Changed {
  std::set<std::string_view> puts{};
  std::vector<KeyRange> deletes{};
};

class Overlaps {
 public:
  Changed Follow(const std::vector<OperationView>& branch) {
    Changed all;
    for (const OperationView& one : branch) {
      DeleteRangeRequestView erase;
      if (one.kind != Method::kDeleteRange || !Parse(one.body, erase).ok()) continue;
      all.deletes.emplace_back(erase.key, erase.range_end);
    }
    for (const OperationView& one : branch) {
      TxnRequestView txn;
      if (one.kind == Method::kTxn && Parse(one.body, txn).ok()) Include(txn, all);
    }
    for (const OperationView& one : branch) {
      PutRequestView put;
      if (one.kind == Method::kPut && Parse(one.body, put).ok()) Claim({put.key}, {}, all);
    }
    return all;
  }
  const std::optional<Twice>& twice() const { return twice_; }
  bool allowed() const { return allowed_; }

 private:
  // `other`: what the other branch of the same transaction puts.
  void Claim(const std::set<std::string_view>& puts, const std::set<std::string_view>& other,
             Changed& all) {
    for (const std::string_view key : puts) {
      const bool before = all.puts.contains(key) && !other.contains(key);
      const std::optional<Twice> found =
          before ? Twice{std::string(key)} : DeletedBy(all.deletes, key);
      if (found && !twice_) twice_ = found;
    }
    all.puts.insert(puts.begin(), puts.end());
  }

  void Include(const TxnRequestView& txn, Changed& all) {
    const Changed success = Follow(txn.success);
    const Changed failure = Follow(txn.failure);
    for (const Changed* const changed : {&success, &failure}) {
      allowed_ = allowed_ || std::ranges::any_of(all.puts, [changed](std::string_view key) {
                   return DeletedBy(changed->deletes, key).has_value();
                 });
    }
    Claim(success.puts, {}, all);
    Claim(failure.puts, success.puts, all);
    for (const Changed* const changed : {&success, &failure}) {
      all.deletes.insert(all.deletes.end(), changed->deletes.begin(), changed->deletes.end());
    }
  }

  static std::optional<Twice> DeletedBy(const std::vector<KeyRange>& deletes,
                                        std::string_view key) {
    std::optional<Twice> found;
    for (const KeyRange& range : deletes) {
      if (!range.Contains(key)) continue;
      found = Twice{std::string(key), range.open_ended()};
      if (!range.open_ended()) break;
    }
    return found;
  }

  std::optional<Twice> twice_;  // the first
  bool allowed_ = false;        // a later transaction deletes what an earlier one puts
};

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
      for (const OperationView& operation : *branch) {
        AddConditions(operation.kind, operation.body, all);
      }
    }
  }
}

}  // namespace

std::int64_t OperationsOf(std::string_view request) {
  TxnRequestView txn;
  if (!Parse(request, txn).ok()) return 0;
  std::int64_t deepest = 0;
  for (const auto* branch : {&txn.success, &txn.failure}) {
    for (const OperationView& one : *branch) {
      if (one.kind == Method::kTxn) deepest = std::max(deepest, OperationsOf(one.body));
    }
  }
  const std::size_t own = std::max({txn.compare.size(), txn.success.size(), txn.failure.size()});
  return static_cast<std::int64_t>(own) + deepest;
}

std::optional<Refusal> ReasonToRefuse(Method method, std::string_view request,
                                      const StoreLimits& limits) {
  auto of_form = ReasonOfForm(method, request);
  if (of_form || method != Method::kTxn) return of_form;
  const bool stated = limits.operations > 0;
  const std::int64_t most = stated ? limits.operations : kMostOperations;
  const std::int64_t operations = OperationsOf(request);
  if (operations <= most) return std::nullopt;
  return Refusal{
      fmt::format("it has {} compares or operations of a branch, more than the {} that "
                  "{}",
                  operations, most, stated ? "the store allows" : "etcd allows by default"),
      true};
}

std::optional<Twice> ChangedTwice(const std::vector<OperationView>& branch) {
  Overlaps overlaps;
  overlaps.Follow(branch);
  return overlaps.twice();
}

Conditional ConditionsOf(Method method, std::string_view request) {
  Conditional all;
  AddConditions(method, request, all);
  TxnRequestView txn;
  if (method != Method::kTxn || !Parse(request, txn).ok()) return all;
  Overlaps overlaps;
  overlaps.Follow(txn.success);
  overlaps.Follow(txn.failure);
  all.twice = overlaps.twice() || overlaps.allowed();
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

Grounds GroundsOf(Method method, std::string_view request, StatusCode code,
                  const StoreLimits& limits) {
  Conditional conditions = ConditionsOf(method, request);
  Grounds grounds;
  if (code == StatusCode::kInvalidArgument) {
    const auto bytes = static_cast<std::int64_t>(request.size());
    const std::int64_t most = limits.request > 0 ? limits.request : kMostBytes;
    grounds.of_itself =
        conditions.twice || bytes + kSentAlong > most || ReasonToRefuse(method, request, limits);
    grounds.kept = std::move(conditions.kept);
    return grounds;
  }
  grounds.past = conditions.past;
  if (code == StatusCode::kNotFound) grounds.leases = std::move(conditions.leases);
  return grounds;
}

}  // namespace watchproof
