// SPDX-License-Identifier: Apache-2.0
#include "ci/differential/naive_store.h"

#include <algorithm>

#include "embedded_store/mvcc/errors.h"

namespace watchproof::store {
namespace {

std::int64_t NumberOf(CompareTarget target, const KeyValue& kv) {
  if (target == CompareTarget::kVersion) return kv.version;
  if (target == CompareTarget::kCreate) return kv.create.value;
  if (target == CompareTarget::kMod) return kv.mod.value;
  return kv.lease;
}

bool Fits(CompareResult wanted, int order) {
  if (wanted == CompareResult::kEqual) return order == 0;
  if (wanted == CompareResult::kNotEqual) return order != 0;
  return wanted == CompareResult::kGreater ? order > 0 : order < 0;
}

int Order(const Compare& compare, const KeyValue& kv) {
  if (compare.target == CompareTarget::kValue) return kv.value.compare(compare.value);
  const std::int64_t number = NumberOf(compare.target, kv);
  return number < compare.number ? -1 : number > compare.number ? 1 : 0;
}

// What a list is sorted by, as a pair: numbers before texts.
std::pair<std::int64_t, std::string> SortKey(SortTarget target, const KeyValue& kv) {
  if (target == SortTarget::kKey) return {0, kv.key};
  if (target == SortTarget::kValue) return {0, kv.value};
  if (target == SortTarget::kVersion) return {kv.version, {}};
  return {target == SortTarget::kCreate ? kv.create.value : kv.mod.value, {}};
}

bool Outside(Revision value, Revision low, Revision high) {
  return (low.value != 0 && value < low) || (high.value != 0 && value > high);
}

}  // namespace

Status NaiveStore::CheckRead(const RangeQuery& query) const {
  if (query.range.begin.empty()) return ErrEmptyKey();
  if (query.at > shown()) return ErrFutureRevision();
  if (query.at.value > 0 && query.at < compacted_) return ErrCompacted();
  return {};
}

Status NaiveStore::CheckPut(const PutOp& put) const {
  if (put.key.empty()) return ErrEmptyKey();
  if (put.ignore_value && !put.value.empty()) return ErrValueProvided();
  if (put.ignore_lease && put.lease != 0) return ErrLeaseProvided();
  return {};
}

RangeAnswer NaiveStore::DoRange(const RangeQuery& query) const {
  const bool past = query.at.value > 0 && query.at <= current();
  const State& state = past ? states_[static_cast<std::size_t>(query.at.value)] : open_;
  RangeAnswer answer{.revision = shown()};
  for (const auto& [key, kv] : state) {
    if (!query.range.Contains(key)) continue;
    ++answer.count;
    if (query.count_only || Outside(kv.mod, query.min_mod, query.max_mod) ||
        Outside(kv.create, query.min_create, query.max_create)) {
      continue;
    }
    answer.kvs.push_back(kv);
  }
  // With a target but no order etcd looks at the first keys only, one more than the limit.
  const bool bounded = query.min_mod.value != 0 || query.max_mod.value != 0 ||
                       query.min_create.value != 0 || query.max_create.value != 0;
  const auto most = static_cast<std::size_t>(query.limit) + 1;
  if (query.limit > 0 && query.order == SortOrder::kNone && !bounded && answer.kvs.size() > most) {
    answer.kvs.resize(most);
  }
  std::stable_sort(answer.kvs.begin(), answer.kvs.end(), [&](const auto& a, const auto& b) {
    const auto first = SortKey(query.target, a);
    const auto second = SortKey(query.target, b);
    return query.order == SortOrder::kDescend ? second < first : first < second;
  });
  while (query.limit > 0 && answer.kvs.size() > static_cast<std::size_t>(query.limit)) {
    answer.kvs.pop_back();
    answer.more = true;
  }
  if (query.keys_only) {
    for (KeyValue& kv : answer.kvs) kv.value.clear();
  }
  return answer;
}

PutAnswer NaiveStore::DoPut(const PutOp& put) {
  PutAnswer answer{.revision = next()};
  KeyValue& kv = open_[put.key];
  const KeyValue before = kv;
  if (put.want_previous && before.version > 0) answer.previous = before;
  kv = {.key = put.key,
        .value = put.ignore_value ? before.value : put.value,
        .create = before.version > 0 ? before.create : next(),
        .mod = next(),
        .version = before.version + 1,
        .lease = put.ignore_lease ? before.lease : put.lease};
  open_events_.push_back({.is_delete = false, .kv = kv});
  return answer;
}

DeleteAnswer NaiveStore::DoDelete(const DeleteOp& removal) {
  DeleteAnswer answer;
  std::erase_if(open_, [&](const auto& entry) {
    if (!removal.range.Contains(entry.first)) return false;
    ++answer.deleted;
    if (removal.want_previous) answer.previous.push_back(entry.second);
    open_events_.push_back({.is_delete = true, .kv = {.key = entry.first, .mod = next()}});
    return true;
  });
  answer.revision = shown();
  return answer;
}

bool NaiveStore::Holds(const Compare& compare) const {
  bool any = false;
  for (const auto& [key, kv] : open_) {
    if (!compare.range.Contains(key)) continue;
    any = true;
    if (!Fits(compare.result, Order(compare, kv))) return false;
  }
  if (any) return true;
  return compare.target != CompareTarget::kValue &&
         Fits(compare.result, Order(compare, KeyValue{}));
}

// Decides every comparison before anything changes; `taken` lists the branches in the order in
// which the transactions will run.
Status NaiveStore::CheckBranches(const TxnOp& txn, Checked what, std::vector<bool>& taken) const {
  const bool holds = std::all_of(txn.compares.begin(), txn.compares.end(),
                                 [&](const Compare& compare) { return Holds(compare); });
  taken.push_back(holds);
  for (const Operation& operation : holds ? txn.success : txn.failure) {
    if (const auto* query = std::get_if<RangeQuery>(&operation)) {
      if (what == Checked::kReads) WP_RETURN_IF_ERROR(CheckRead(*query));
    } else if (const auto* put = std::get_if<PutOp>(&operation)) {
      if (what == Checked::kReads) continue;
      if ((put->ignore_value || put->ignore_lease) && !open_.contains(put->key)) {
        return ErrKeyNotFound();
      }
      if (put->lease != 0 && !leases_.contains(put->lease)) return ErrLeaseNotFound();
    } else if (const auto* nested = std::get_if<TxnOp>(&operation)) {
      WP_RETURN_IF_ERROR(CheckBranches(*nested, what, taken));
    }
  }
  return {};
}

TxnAnswer NaiveStore::DoTxn(const TxnOp& txn, const std::vector<bool>& taken, std::size_t& place) {
  TxnAnswer answer{.succeeded = taken[place++]};
  for (const Operation& operation : answer.succeeded ? txn.success : txn.failure) {
    if (const auto* query = std::get_if<RangeQuery>(&operation)) {
      answer.answers.emplace_back(DoRange(*query));
    } else if (const auto* put = std::get_if<PutOp>(&operation)) {
      answer.answers.emplace_back(DoPut(*put));
    } else if (const auto* removal = std::get_if<DeleteOp>(&operation)) {
      answer.answers.emplace_back(DoDelete(*removal));
    } else {
      answer.answers.emplace_back(DoTxn(std::get<TxnOp>(operation), taken, place));
    }
  }
  answer.revision = shown();
  return answer;
}

void NaiveStore::Commit() {
  if (open_events_.empty()) return;
  states_.push_back(open_);
  happened_.push_back(std::move(open_events_));
  open_events_.clear();
}

Result<RangeAnswer> NaiveStore::Range(const RangeQuery& query) const {
  WP_RETURN_IF_ERROR(CheckRead(query));
  return DoRange(query);
}

Result<PutAnswer> NaiveStore::Put(const PutOp& put) {
  WP_RETURN_IF_ERROR(CheckPut(put));
  if (put.lease != 0 && !leases_.contains(put.lease)) return ErrLeaseNotFound();
  std::vector<bool> taken;
  WP_RETURN_IF_ERROR(CheckBranches({.success = {put}}, Checked::kPuts, taken));
  PutAnswer answer = DoPut(put);
  Commit();
  return answer;
}

Result<DeleteAnswer> NaiveStore::DeleteRange(const DeleteOp& removal) {
  if (removal.range.begin.empty()) return ErrEmptyKey();
  DeleteAnswer answer = DoDelete(removal);
  Commit();
  return answer;
}

Result<TxnAnswer> NaiveStore::Txn(const TxnOp& txn) {
  std::vector<bool> taken;
  WP_RETURN_IF_ERROR(CheckBranches(txn, Checked::kPuts, taken));
  taken.clear();
  WP_RETURN_IF_ERROR(CheckBranches(txn, Checked::kReads, taken));
  std::size_t place = 0;
  TxnAnswer answer = DoTxn(txn, taken, place);
  Commit();
  return answer;
}

Status NaiveStore::Compact(Revision floor) {
  if (floor <= compacted_) return ErrCompacted();
  if (floor > current()) return ErrFutureRevision();
  compacted_ = floor;
  return {};
}

void NaiveStore::EndLease(LeaseId id) {
  for (const std::string& key : KeysOf(id)) DoDelete({.range = KeyRange::Single(key)});
  leases_.erase(id);
  Commit();
}

std::optional<LeaseId> NaiveStore::NextOverdue(TimePoint now) const {
  const auto next = std::min_element(leases_.begin(), leases_.end(),
                                     [](auto& a, auto& b) { return a.second.end < b.second.end; });
  if (next == leases_.end() || next->second.end > now) return std::nullopt;
  return next->first;
}

std::vector<std::string> NaiveStore::KeysOf(LeaseId id) const {
  std::vector<std::string> keys;
  for (const auto& [key, kv] : open_) {
    if (kv.lease == id) keys.push_back(key);
  }
  return keys;
}

std::vector<std::string> NaiveStore::EventsFrom(Revision from) const {
  std::vector<std::string> texts;
  for (Revision at = from; at <= current(); at = at.next()) {
    const auto place = static_cast<std::size_t>(at.value);
    for (const Happened& event : happened_[place]) {
      std::string text = fmt::format("{} {}={}@{} lease {}", event.is_delete ? "delete" : "put",
                                     event.kv.key, event.kv.value, at, event.kv.lease);
      const auto was = states_[place - 1].find(event.kv.key);
      // Also one that the same transaction deleted before it made it again.
      const bool made = !event.is_delete && event.kv.create == at;
      if (!made && at.previous() >= compacted_ && was != states_[place - 1].end()) {
        text += " was " + was->second.value;
      }
      texts.push_back(std::move(text));
    }
  }
  return texts;
}

}  // namespace watchproof::store
