// SPDX-License-Identifier: Apache-2.0
#include "embedded_store/mvcc/read_view.h"

#include <algorithm>
#include <compare>
#include <cstddef>
#include <limits>
#include <string_view>

#include "embedded_store/mvcc/errors.h"

namespace watchproof::store {
namespace {

using Then = KeyIndex::Then;

bool WithinBounds(const RangeQuery& query, const KeyValue& kv) {
  const auto within = [](Revision low, Revision high, Revision value) {
    return (low.value == 0 || value >= low) && (high.value == 0 || value <= high);
  };
  return within(query.min_mod, query.max_mod, kv.mod) &&
         within(query.min_create, query.max_create, kv.create);
}

bool Before(SortTarget target, const KeyValue& a, const KeyValue& b) {
  if (target == SortTarget::kVersion) return a.version < b.version;
  if (target == SortTarget::kCreate) return a.create < b.create;
  if (target == SortTarget::kMod) return a.mod < b.mod;
  if (target == SortTarget::kValue) return a.value < b.value;
  return a.key < b.key;
}

void Sort(const RangeQuery& query, std::vector<KeyValue>& kvs) {
  // Keys come ascending by themselves; another target without an order means ascending.
  const bool descend = query.order == SortOrder::kDescend;
  if (!descend && query.target == SortTarget::kKey) return;
  std::stable_sort(kvs.begin(), kvs.end(), [&](const KeyValue& a, const KeyValue& b) {
    return descend ? Before(query.target, b, a) : Before(query.target, a, b);
  });
}

// How what the key has compares to what is asked for.
std::strong_ordering Actual(const Compare& compare, const KeyValue& kv) {
  if (compare.target == CompareTarget::kVersion) return kv.version <=> compare.number;
  if (compare.target == CompareTarget::kCreate) return kv.create.value <=> compare.number;
  if (compare.target == CompareTarget::kMod) return kv.mod.value <=> compare.number;
  if (compare.target == CompareTarget::kLease) return kv.lease <=> compare.number;
  if (compare.target == CompareTarget::kValue) return kv.value <=> compare.value;
  return std::strong_ordering::equal;
}

bool Satisfies(const Compare& compare, const KeyValue& kv) {
  const std::strong_ordering actual = Actual(compare, kv);
  if (compare.result == CompareResult::kEqual) return actual == 0;
  if (compare.result == CompareResult::kGreater) return actual > 0;
  if (compare.result == CompareResult::kLess) return actual < 0;
  return compare.result == CompareResult::kAlways || actual != 0;
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
             !query.bounded()) {
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
