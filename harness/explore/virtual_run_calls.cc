// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <charconv>
#include <utility>

#include "harness/explore/virtual_run.h"

namespace watchproof::explore {
namespace {

// Targets and relations have etcd's numbers on both sides.
store::Compare CompareOf(const Condition& condition) {
  store::Compare compare{.range = {WireKey(condition.key), WireKey(condition.end)},
                         .target = static_cast<store::CompareTarget>(condition.target),
                         .result = static_cast<store::CompareResult>(condition.relation)};
  if (condition.target == Condition::Target::kValue) {
    compare.value = condition.value;
  } else {
    const std::string& digits = condition.value;
    std::from_chars(digits.data(), digits.data() + digits.size(), compare.number);
  }
  return compare;
}

bool Selects(const store::RangeQuery& query) {
  return query.target != store::SortTarget::kKey || query.order != store::SortOrder::kNone ||
         query.min_mod.value != 0 || query.max_mod.value != 0 || query.min_create.value != 0 ||
         query.max_create.value != 0;
}

}  // namespace

std::string VirtualRun::NextValue(std::int64_t bytes) {
  std::string value = fmt::format("v{}", ++values_);
  if (static_cast<std::int64_t>(value.size()) < bytes) {
    value.resize(static_cast<std::size_t>(bytes), '.');
  }
  return value;
}

void VirtualRun::Record(CallId call, Method method, const Answer& answer) {
  if (answer.status.ok()) {
    recording_.Ended(call, method, answer.response);
  } else {
    recording_.Failed(call, method, answer.status);
  }
  if (answer.header.value > head_) {
    written_ += method == Method::kPut ? 'p' : 'd';
    head_ = answer.header.value;
  }
  if (answer.learn) answer.learn();
}

// A refusal, too, may show what is not safe yet.
void VirtualRun::End(CallId call, Method method, store::Ticket ticket, Answer answer) {
  if (!answer.status.ok()) features_.Error(method, answer.status.code());
  if (!script_.limits.disk) return Record(call, method, answer);
  outstanding_.push_back({call, method});
  disk_.WhenSafe(answer.status.ok() ? ticket : disk_.staged(),
                 [this, call, method, answer = std::move(answer)](const Status&) {
                   std::erase_if(outstanding_,
                                 [call](const Outstanding& one) { return one.call == call; });
                   Record(call, method, answer);
                 });
}

void VirtualRun::Refuse(CallId call, Method method, const Status& status) {
  End(call, method, {}, {.response = {}, .status = status});
}

void VirtualRun::Do(const Put& put) {
  for (std::int64_t i = 0; i < put.times; ++i) PutOnce(put);
}

void VirtualRun::PutOnce(const Put& put) {
  const store::PutOp op{.key = WireKey(put.key),
                        .value = put.ignore_value ? std::string() : NextValue(put.bytes),
                        .lease = put.ignore_lease ? 0 : put.lease,
                        .want_previous = put.prev_kv,
                        .ignore_value = put.ignore_value,
                        .ignore_lease = put.ignore_lease};
  const CallId call = recording_.Started(Method::kPut, ToWire(op));
  const auto answer = store_->Put(op);
  const bool plain = op.lease == 0 && !op.ignore_value && !op.ignore_lease;
  if (plain && !op.key.empty()) {
    promises_.Answered("a put", answer ? Status() : answer.error());
  }
  if (!answer) return Refuse(call, Method::kPut, answer.error());
  End(call, Method::kPut, answer->ticket, {ToWire(*answer), answer->revision});
}

void VirtualRun::Do(const Delete& erase) {
  const store::DeleteOp op{.range = {WireKey(erase.key), WireKey(erase.end)},
                           .want_previous = erase.prev_kv};
  const CallId call = recording_.Started(Method::kDeleteRange, ToWire(op));
  const auto answer = store_->DeleteRange(op);
  if (!answer) return Refuse(call, Method::kDeleteRange, answer.error());
  End(call, Method::kDeleteRange, answer->ticket, {ToWire(*answer), answer->revision});
}

std::vector<store::Operation> VirtualRun::Operations(const std::vector<TxnPart>& parts) {
  std::vector<store::Operation> operations;
  for (const TxnPart& part : parts) {
    const store::KeyRange range{WireKey(part.key), WireKey(part.end)};
    switch (part.kind) {
      case TxnPart::Kind::kPut:
        operations.push_back(
            store::PutOp{.key = range.begin, .value = NextValue(0), .lease = part.lease});
        break;
      case TxnPart::Kind::kDelete:
        operations.push_back(store::DeleteOp{.range = range, .want_previous = true});
        break;
      case TxnPart::Kind::kGet:
        operations.push_back(store::RangeQuery{.range = range});
        break;
    }
  }
  return operations;
}

void VirtualRun::Do(const Txn& txn) {
  store::TxnOp op{.success = Operations(txn.then), .failure = Operations(txn.otherwise)};
  for (const Condition& condition : txn.when) op.compares.push_back(CompareOf(condition));
  if (!txn.nested.empty()) {
    store::TxnOp nested{.success = Operations(txn.nested)};
    op.failure.push_back(nested);
    op.success.push_back(std::move(nested));
  }
  const CallId call = recording_.Started(Method::kTxn, ToWire(op));
  const auto answer = store_->Txn(op);
  if (!answer) return Refuse(call, Method::kTxn, answer.error());
  End(call, Method::kTxn, answer->ticket, {ToWire(*answer), answer->revision});
}

void VirtualRun::Do(const Grant& grant) {
  const CallId call =
      recording_.Started(Method::kLeaseGrant, GrantToWire(grant.lease, grant.seconds));
  const auto granted =
      lessor_->Grant({.id = grant.lease, .ttl = std::chrono::seconds(grant.seconds)}, Now());
  if (!granted) return Refuse(call, Method::kLeaseGrant, granted.error());
  promises_.Granted(granted->id, granted->ttl, Now());
  End(call, Method::kLeaseGrant, granted->ticket,
      {.response = GrantedToWire(granted->revision, granted->id, granted->ttl.count()),
       .header = granted->revision,
       .learn = [this, id = granted->id] { promises_.Confirmed(id); }});
}

void VirtualRun::Do(const Revoke& revoke) {
  const CallId call = recording_.Started(Method::kLeaseRevoke, RevokeToWire(revoke.lease));
  promises_.RevokeAsked(revoke.lease);
  const auto revoked = lessor_->Revoke(revoke.lease);
  if (!revoked) return Refuse(call, Method::kLeaseRevoke, revoked.error());
  End(call, Method::kLeaseRevoke, revoked->ticket,
      {.response = HeaderToWire(revoked->revision),
       .header = revoked->revision,
       .learn = [this, id = revoke.lease] { promises_.Revoked(id); }});
}

void VirtualRun::Do(const KeepAlive& keep) {
  const auto time = lessor_->KeepAlive(keep.lease, Now());
  promises_.KeptAlive(keep.lease, time ? Status() : time.error(), Now());
}

void VirtualRun::Do(const Get& get) {
  const store::RangeQuery query{
      .range = {WireKey(get.key), WireKey(get.end)},
      .limit = get.limit,
      .at = Revision(Resolve(get.at)),
      .order = get.descending ? store::SortOrder::kDescend : store::SortOrder::kNone,
      .target = static_cast<store::SortTarget>(get.sort_by),
      .keys_only = get.keys_only,
      .count_only = get.count_only,
      .min_mod = Revision(get.min_mod),
      .max_mod = Revision(get.max_mod),
      .min_create = Revision(get.min_create),
      .max_create = Revision(get.max_create)};
  const auto answer = Read(query);
  if (!answer || !Selects(query)) return;
  // The same without a selection, which the judge compares with what was written.
  const auto all = Read({.range = query.range, .at = query.at});
  if (all) promises_.Selected(query, *all, *answer);
}

Result<store::RangeAnswer> VirtualRun::Read(const store::RangeQuery& query) {
  const CallId call = recording_.Started(Method::kRange, ToWire(query));
  const auto answer = store_->Range(query);
  promises_.Read(query.at.value, answer ? Status() : answer.error(), bounds());
  if (answer) {
    End(call, Method::kRange, answer->ticket, {ToWire(*answer), answer->revision});
  } else {
    Refuse(call, Method::kRange, answer.error());
  }
  return answer;
}

void VirtualRun::Do(const Compact& compact) {
  const std::int64_t at = Resolve(compact.at);
  const CallId call = recording_.Started(Method::kCompact, CompactToWire(at));
  const auto answer = store_->Compact(Revision(at));
  promises_.Compacted(at, answer ? Status() : answer.error(), bounds());
  if (!answer) return Refuse(call, Method::kCompact, answer.error());
  floor_asked_ = std::max(floor_asked_, at);
  End(call, Method::kCompact, answer->ticket,
      {.response = HeaderToWire(answer->revision), .header = answer->revision, .learn = [this, at] {
         floor_ = std::max(floor_, at);
       }});
}

}  // namespace watchproof::explore
