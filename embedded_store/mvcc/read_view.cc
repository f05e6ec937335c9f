// SPDX-License-Identifier: Apache-2.0
#include "embedded_store/mvcc/read_view.h"

#include <algorithm>
#include <cstddef>
#include <limits>
#include <string_view>

#include "embedded_store/mvcc/errors.h"

namespace watchproof::store {
namespace {

using Then = KeyIndex::Then;

bool HasBounds(const RangeQuery& query) {
  return query.min_mod.value != 0 || query.max_mod.value != 0 || query.min_create.value != 0 ||
         query.max_create.value != 0;
}

bool WithinBounds(const RangeQuery& query, const KeyValue& kv) {
  const auto within = [](Revision low, Revision high, Revision value) {
    return (low.value == 0 || value >= low) && (high.value == 0 || value <= high);
  };
  return within(query.min_mod, query.max_mod, kv.mod) &&
         within(query.min_create, query.max_create, kv.create);
}

bool Before(SortTarget target, const KeyValue& a, const KeyValue& b) {
  switch (target) {
    case SortTarget::kKey:
      return a.key < b.key;
    case SortTarget::kVersion:
      return a.version < b.version;
    case SortTarget::kCreate:
      return a.create < b.create;
    case SortTarget::kMod:
      return a.mod < b.mod;
    case SortTarget::kValue:
      return a.value < b.value;
  }
  return false;
}

void Sort(const RangeQuery& query, std::vector<KeyValue>& kvs) {
  // Keys come ascending by themselves; another target without an order means ascending.
  const bool descend = query.order == SortOrder::kDescend;
  if (!descend && query.target == SortTarget::kKey) return;
  std::stable_sort(kvs.begin(), kvs.end(), [&](const KeyValue& a, const KeyValue& b) {
    return descend ? Before(query.target, b, a) : Before(query.target, a, b);
  });
}

template <typename T>
bool Satisfies(CompareResult result, const T& actual, const T& wanted) {
  switch (result) {
    case CompareResult::kEqual:
      return actual == wanted;
    case CompareResult::kGreater:
      return actual > wanted;
    case CompareResult::kLess:
      return actual < wanted;
    case CompareResult::kNotEqual:
      return actual != wanted;
    case CompareResult::kAlways:
      return true;
  }
  return false;
}

bool Satisfies(const Compare& compare, const KeyValue& kv) {
  switch (compare.target) {
    case CompareTarget::kVersion:
      return Satisfies(compare.result, kv.version, compare.number);
    case CompareTarget::kCreate:
      return Satisfies(compare.result, kv.create.value, compare.number);
    case CompareTarget::kMod:
      return Satisfies(compare.result, kv.mod.value, compare.number);
    case CompareTarget::kValue:
      return Satisfies(compare.result, kv.value, compare.value);
    case CompareTarget::kLease:
      return Satisfies(compare.result, kv.lease, compare.number);
    case CompareTarget::kNothing:
      return Satisfies(compare.result, 0, 0);
  }
  return false;
}

}  // namespace

Status ReadView::CheckRevision(Revision at) const {
  if (at.value == 0) return {};
  if (at > current_) return ErrFutureRevision();
  if (at < compacted_) return ErrCompacted();
  return {};
}

Result<RangeAnswer> ReadView::Range(const RangeQuery& query) const {
  // Below zero means the current one here; a transaction that checks before finds it compacted.
  if (query.at.value > 0) WP_RETURN_IF_ERROR(CheckRevision(query.at));
  const Revision at = query.at.value <= 0 ? current_ : query.at;
  // Bounds and an order are applied to the whole range, and only then the limit.
  constexpr std::int64_t kAll = std::numeric_limits<std::int64_t>::max();
  std::int64_t most = kAll;
  if (query.count_only) {
    most = 0;
  } else if (query.limit > 0 && query.limit < kAll && query.order == SortOrder::kNone &&
             !HasBounds(query)) {
    most = query.limit + 1;  // one more, to know whether there is more
  }
  RangeAnswer answer{.revision = current_, .ticket = {}, .kvs = {}, .more = false, .count = 0};
  index_.VisitAt(query.range, at, [&](const std::string&, RevisionPair where) {
    if (answer.count++ >= most) return query.count_all ? Then::kGoOn : Then::kStop;
    const KeyValue& kv = log_.Get(where)->kv;
    if (WithinBounds(query, kv)) answer.kvs.push_back(kv);
    return Then::kGoOn;
  });
  Sort(query, answer.kvs);
  if (query.limit > 0 && answer.kvs.size() > static_cast<std::size_t>(query.limit)) {
    answer.kvs.resize(static_cast<std::size_t>(query.limit));
    answer.more = true;
  }
  if (query.keys_only) {
    for (KeyValue& kv : answer.kvs) kv.value.clear();
  }
  return answer;
}

bool ReadView::Holds(const Compare& compare) const {
  bool any = false;
  bool all = true;
  index_.VisitAt(compare.range, current_, [&](const std::string&, RevisionPair where) {
    any = true;
    all = all && Satisfies(compare, log_.Get(where)->kv);
    return all ? Then::kGoOn : Then::kStop;
  });
  if (any) return all;
  return compare.target != CompareTarget::kValue && Satisfies(compare, KeyValue{});
}

ChangePtr ReadView::FindAt(const std::string& key, Revision at) const {
  if (at < compacted_ || at > current_) return nullptr;
  const auto where = index_.FindAt(key, at);
  return where ? log_.Get(*where) : nullptr;
}

}  // namespace watchproof::store
