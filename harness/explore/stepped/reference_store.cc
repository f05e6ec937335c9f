// SPDX-License-Identifier: Apache-2.0
#include "harness/explore/stepped/reference_store.h"

#include <algorithm>
#include <utility>

namespace watchproof::explore {

using std::chrono::seconds;

namespace {

constexpr seconds kShortest{2};
constexpr seconds kLongest{9'000'000'000};

Status Compacted() {
  return {StatusCode::kOutOfRange, "etcdserver: mvcc: required revision has been compacted"};
}
Status Future() {
  return {StatusCode::kOutOfRange, "etcdserver: mvcc: required revision is a future revision"};
}
Status NoSuchLease() { return {StatusCode::kNotFound, "etcdserver: requested lease not found"}; }

// Whether the first of two comes first in an order; of equal ones the key decides.
bool Precedes(const store::RangeQuery& query, const store::KeyValue& a, const store::KeyValue& b) {
  const auto decide = [&](const auto& first, const auto& second) {
    if (first == second) return a.key < b.key;
    return query.order == store::SortOrder::kDescend ? second < first : first < second;
  };
  switch (query.target) {
    case store::SortTarget::kKey:
      return decide(a.key, b.key);
    case store::SortTarget::kVersion:
      return decide(a.version, b.version);
    case store::SortTarget::kCreate:
      return decide(a.create.value, b.create.value);
    case store::SortTarget::kMod:
      return decide(a.mod.value, b.mod.value);
    case store::SortTarget::kValue:
      return decide(a.value, b.value);
  }
  return false;
}

bool Bounded(const store::RangeQuery& query) {
  return query.min_mod.value != 0 || query.max_mod.value != 0 || query.min_create.value != 0 ||
         query.max_create.value != 0;
}

bool Within(const store::RangeQuery& query, const store::KeyValue& kv) {
  const auto between = [](Revision revision, Revision low, Revision high) {
    return revision.value >= low.value && (high.value == 0 || revision.value <= high.value);
  };
  return between(kv.mod, query.min_mod, query.max_mod) &&
         between(kv.create, query.min_create, query.max_create);
}

}  // namespace

void ReferenceStore::End(Changing changing, std::uint64_t ahead) {
  if (changing.changes == 0) return;
  states_.push_back(std::move(changing));
  ++now_.head;
  Save(ahead);
}

Status ReferenceStore::Check(const store::PutOp& put, const Keys& keys) const {
  if ((put.ignore_value || put.ignore_lease) && !keys.contains(put.key)) {
    return Invalid("etcdserver: key not found");
  }
  if (put.lease != 0 && !now_.leases.contains(put.lease)) return NoSuchLease();
  return {};
}

Status ReferenceStore::Check(const store::RangeQuery& query, std::int64_t head) const {
  if (query.at.value <= 0) return {};
  if (query.at.value > head) return Future();
  return query.at.value < now_.floor ? Compacted() : Status();
}

Result<store::RangeAnswer> ReferenceStore::Range(const store::RangeQuery& query) const {
  WP_RETURN_IF_ERROR(CheckForm(query));
  WP_RETURN_IF_ERROR(Check(query, now_.head));
  return Read(query, keys(), now_.head);
}

store::RangeAnswer ReferenceStore::Read(const store::RangeQuery& query, const Keys& keys,
                                        std::int64_t head) const {
  const bool past = query.at.value > 0 && query.at.value < head;
  store::RangeAnswer answer{.revision = Revision(head), .ticket = {}, .kvs = {}};
  for (const auto& [key, kv] : past ? At(query.at.value).keys : keys) {
    if (!Holds(query.range, key)) continue;
    ++answer.count;
    if (!query.count_only && Within(query, kv)) answer.kvs.push_back(kv);
  }
  const auto limit = static_cast<std::size_t>(query.limit);
  // With a target but no order etcd sorts the first keys only, one more than the limit.
  const bool few = limit > 0 && query.order == store::SortOrder::kNone && !Bounded(query);
  if (few && answer.kvs.size() > limit + 1) answer.kvs.resize(limit + 1);
  std::ranges::sort(answer.kvs,
                    [&](const auto& a, const auto& b) { return Precedes(query, a, b); });
  answer.more = limit > 0 && answer.kvs.size() > limit;
  if (answer.more) answer.kvs.resize(limit);
  for (store::KeyValue& kv : answer.kvs) {
    if (query.keys_only) kv.value.clear();
  }
  return answer;
}

std::int64_t ReferenceStore::FirstChange(const store::KeyRange& range, Kinds kinds,
                                         std::int64_t from, std::int64_t through) const {
  through = std::min(through, now_.head);
  for (std::int64_t at = std::max<std::int64_t>(from, 2); at <= through; ++at) {
    const Keys& keys = At(at).keys;
    const bool put = std::ranges::any_of(keys, [&](const auto& one) {
      return one.second.mod.value == at && Holds(range, one.first);
    });
    if (put && kinds.puts) return at;
    if (!kinds.deletes) continue;
    const Keys& before = At(at - 1).keys;
    const bool deleted = std::ranges::any_of(before, [&](const auto& one) {
      return !keys.contains(one.first) && Holds(range, one.first);
    });
    if (deleted) return at;
  }
  return 0;
}

Status ReferenceStore::CheckRoom(std::size_t bytes) const {
  if (bytes == 0 || disk_.Takes(bytes)) return {};
  return {StatusCode::kResourceExhausted, "etcdserver: mvcc: database space exceeded"};
}

Result<store::PutAnswer> ReferenceStore::Put(const store::PutOp& put) {
  WP_RETURN_IF_ERROR(CheckForm(put));
  WP_RETURN_IF_ERROR(CheckRoom(SizeOf(put)));
  if (put.lease != 0 && !now_.leases.contains(put.lease)) return NoSuchLease();
  WP_RETURN_IF_ERROR(Check(put, keys()));
  Changing changing = Begin();
  store::PutAnswer answer = Apply(put, changing);
  End(std::move(changing));
  return answer;
}

store::PutAnswer ReferenceStore::Apply(const store::PutOp& put, Changing& changing) const {
  ++changing.changes;
  const Revision next(now_.head + 1);
  store::PutAnswer answer{.revision = next};
  const auto found = changing.keys.find(put.key);
  const bool there = found != changing.keys.end();
  store::KeyValue kv{.key = put.key,
                     .value = put.value,
                     .create = there ? found->second.create : next,
                     .mod = next,
                     .version = there ? found->second.version + 1 : 1,
                     .lease = put.lease};
  if (there && put.ignore_value) kv.value = found->second.value;
  if (there && put.ignore_lease) kv.lease = found->second.lease;
  if (there && put.want_previous) answer.previous = found->second;
  changing.keys[put.key] = std::move(kv);
  return answer;
}

Result<store::DeleteAnswer> ReferenceStore::Delete(const store::DeleteOp& erase) {
  WP_RETURN_IF_ERROR(CheckForm(erase));
  Changing changing = Begin();
  store::DeleteAnswer answer = Apply(erase, changing);
  End(std::move(changing));
  return answer;
}

store::DeleteAnswer ReferenceStore::Apply(const store::DeleteOp& erase, Changing& changing) const {
  store::DeleteAnswer answer;
  answer.deleted = static_cast<std::int64_t>(std::erase_if(changing.keys, [&](const auto& entry) {
    if (!Holds(erase.range, entry.first)) return false;
    if (erase.want_previous) answer.previous.push_back(entry.second);
    return true;
  }));
  changing.changes += answer.deleted;
  answer.revision = Revision(Head(changing));
  return answer;
}

bool ReferenceStore::Succeeds(const store::TxnOp& txn) const {
  return std::ranges::all_of(txn.compares, [&](const store::Compare& compare) {
    std::vector<store::KeyValue> held;
    for (const auto& [key, kv] : keys()) {
      if (Holds(compare.range, key)) held.push_back(kv);
    }
    return IsTrue(compare, held);
  });
}

// All comparisons are decided before anything is done; all puts are looked at before all reads, as
// by etcd up to 3.5.
Status ReferenceStore::CheckBranch(const store::TxnOp& txn) const {
  WP_RETURN_IF_ERROR(
      CheckEach<store::PutOp>(txn, [this](const store::PutOp& put) { return Check(put, keys()); }));
  return CheckEach<store::RangeQuery>(
      txn, [this](const store::RangeQuery& query) { return Check(query, now_.head); });
}

template <typename Operation>
Status ReferenceStore::CheckEach(const store::TxnOp& txn, const auto& check) const {
  for (const store::Operation& one : Succeeds(txn) ? txn.success : txn.failure) {
    if (const auto* operation = std::get_if<Operation>(&one)) WP_RETURN_IF_ERROR(check(*operation));
    if (const auto* nested = std::get_if<store::TxnOp>(&one)) {
      WP_RETURN_IF_ERROR(CheckEach<Operation>(*nested, check));
    }
  }
  return {};
}

Result<store::TxnAnswer> ReferenceStore::Txn(const store::TxnOp& txn) {
  WP_RETURN_IF_ERROR(CheckForm(txn));
  WP_RETURN_IF_ERROR(CheckRoom(SizeOf(txn)));
  WP_RETURN_IF_ERROR(CheckBranch(txn));
  Changing changing = Begin();
  store::TxnAnswer answer = Apply(txn, changing);
  End(std::move(changing));
  return answer;
}

store::TxnAnswer ReferenceStore::Apply(const store::TxnOp& txn, Changing& changing) const {
  store::TxnAnswer answer{.revision = {}, .ticket = {}, .succeeded = Succeeds(txn), .answers = {}};
  for (const store::Operation& one : answer.succeeded ? txn.success : txn.failure) {
    if (const auto* query = std::get_if<store::RangeQuery>(&one)) {
      answer.answers.emplace_back(Read(*query, changing.keys, Head(changing)));
    } else if (const auto* put = std::get_if<store::PutOp>(&one)) {
      answer.answers.emplace_back(Apply(*put, changing));
    } else if (const auto* erase = std::get_if<store::DeleteOp>(&one)) {
      answer.answers.emplace_back(Apply(*erase, changing));
    } else if (const auto* nested = std::get_if<store::TxnOp>(&one)) {
      answer.answers.emplace_back(Apply(*nested, changing));
    }
  }
  answer.revision = Revision(Head(changing));
  return answer;
}

Result<store::CompactAnswer> ReferenceStore::Compact(std::int64_t at) {
  if (at <= now_.floor) return Compacted();
  if (at > now_.head) return Future();
  now_.floor = at;
  Save();
  return store::CompactAnswer{.revision = Revision(now_.head), .ticket = {}};
}

Result<store::Granted> ReferenceStore::Grant(const store::LeaseRequest& request,
                                             std::int64_t chosen, TimePoint now,
                                             store::Ticket before) {
  if (request.ttl > kLongest) {
    return Status(StatusCode::kOutOfRange, "etcdserver: too large lease TTL");
  }
  const std::int64_t id = request.id != 0 ? request.id : std::max<std::int64_t>(chosen, 1);
  const seconds time = std::max(request.ttl, kShortest);
  WP_RETURN_IF_ERROR(CheckRoom(1));
  if (!now_.leases.try_emplace(id, Lease{.time = time, .end = now + time}).second) {
    return Status(StatusCode::kFailedPrecondition, "etcdserver: lease already exists");
  }
  Save(before.next());
  return store::Granted{.revision = Revision(now_.head), .ticket = {}, .id = id, .ttl = time};
}

void ReferenceStore::EndLease(std::int64_t id, std::uint64_t ahead) {
  Changing changing = Begin();
  changing.changes = static_cast<std::int64_t>(
      std::erase_if(changing.keys, [id](const auto& entry) { return entry.second.lease == id; }));
  now_.leases.erase(id);
  if (changing.changes == 0) return Save(ahead);
  End(std::move(changing), ahead);
}

Result<store::CompactAnswer> ReferenceStore::Revoke(std::int64_t id) {
  if (!now_.leases.contains(id)) return NoSuchLease();
  EndLease(id, 1);
  return store::CompactAnswer{.revision = Revision(now_.head), .ticket = {}};
}

Result<seconds> ReferenceStore::KeepAlive(std::int64_t id, TimePoint now) {
  const auto found = now_.leases.find(id);
  if (found == now_.leases.end()) return NoSuchLease();
  Lease& lease = found->second;
  lease.end = now + lease.time;
  if (lease.left > seconds(0)) {
    lease.left = seconds(0);
    Save();
  }
  return lease.time;
}

Result<store::LeaseState> ReferenceStore::Find(std::int64_t id, TimePoint now) const {
  const auto found = now_.leases.find(id);
  if (found == now_.leases.end()) return NoSuchLease();
  const auto left = std::max(found->second.end - now, Duration(0));
  store::LeaseState state{
      .granted = found->second.time, .remaining = std::chrono::floor<seconds>(left), .keys = {}};
  for (const auto& [key, kv] : keys()) {
    if (kv.lease == id) state.keys.push_back(key);
  }
  return state;
}

std::vector<std::int64_t> ReferenceStore::Leases() const {
  std::vector<std::pair<TimePoint, std::int64_t>> ends;
  for (const auto& [id, lease] : now_.leases) ends.emplace_back(lease.end, id);
  std::ranges::sort(ends);
  std::vector<std::int64_t> ids;
  for (const auto& [end, id] : ends) ids.push_back(id);
  return ids;
}

void ReferenceStore::Expire(TimePoint now) {
  std::uint64_t ahead = 0;
  for (const std::int64_t id : Leases()) {
    if (now_.leases.at(id).end <= now) EndLease(id, ++ahead);
  }
}

void ReferenceStore::Checkpoint(TimePoint now) {
  std::uint64_t ahead = 0;
  for (const std::int64_t id : Leases()) {
    Lease& lease = now_.leases.at(id);
    const auto left = std::chrono::ceil<seconds>(lease.end - now);
    if (left <= seconds(0) || left >= lease.time) continue;
    lease.left = left;
    Save(++ahead);
  }
}

std::int64_t ReferenceStore::KeptChanges() const {
  const std::int64_t floor = std::max<std::int64_t>(now_.floor, 1);
  std::int64_t kept = 0;
  for (const auto& [key, kv] : At(floor).keys) kept += kv.mod.value < floor ? 1 : 0;
  for (std::int64_t at = floor; at <= now_.head; ++at) kept += At(at).changes;
  return kept;
}

void ReferenceStore::Restart(store::Ticket kept, TimePoint now) {
  std::erase_if(saved_, [kept](const Saved& one) { return one.ticket > kept; });
  now_ = saved_.empty() ? State() : saved_.back().state;
  states_.resize(static_cast<std::size_t>(now_.head));
  for (auto& [id, lease] : now_.leases) {
    lease.end = now + (lease.left > seconds(0) ? lease.left : lease.time);
  }
}

}  // namespace watchproof::explore
