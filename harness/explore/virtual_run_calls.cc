// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <utility>

#include "harness/explore/virtual_run.h"

namespace watchproof::explore {
namespace {

const Placement kAlone;

}  // namespace

std::string VirtualRun::NewValue(std::int64_t bytes) {
  std::string value = fmt::format("v{}", ++values_);
  if (static_cast<std::int64_t>(value.size()) < bytes) {
    value.resize(static_cast<std::size_t>(bytes), '.');
  }
  return value;
}

CallId VirtualRun::Begin(Method method, std::string request) {
  staged_before_ = disk_.last();
  return recording_.Started(method, std::move(request));
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

// An answer waits for the first that its call wrote, or for everything that it may show. A refusal,
// too, may show what is not safe yet.
void VirtualRun::End(CallId call, Method method, store::Ticket ticket, Answer answer) {
  if (!answer.status.ok()) features_.Error(method, answer.status.code());
  const bool wrote = disk_.last() > staged_before_;
  const store::Ticket least = wrote ? staged_before_.next() : disk_.staged();
  if (answer.status.ok() && (ticket < least || ticket > disk_.last())) {
    promises_.CompareTexts("an answer to wait until what it shows is safe",
                           fmt::format("{} to {}", least.value, disk_.last().value),
                           fmt::format("{}", ticket.value));
  }
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
  const store::PutOp op = OperationOf(put, kAlone, values());
  const CallId call = Begin(Method::kPut, ToWire(op));
  const auto expected = reference_.Put(op);
  const auto answer = store_->Put(op);
  promises_.Compare("a put", expected, answer);
  if (!answer) return Refuse(call, Method::kPut, answer.error());
  End(call, Method::kPut, answer->ticket, {ToWire(*answer), answer->revision});
}

void VirtualRun::Do(const Delete& erase) {
  const store::DeleteOp op = OperationOf(erase, kAlone);
  const CallId call = Begin(Method::kDeleteRange, ToWire(op));
  const auto expected = reference_.Delete(op);
  const auto answer = store_->DeleteRange(op);
  promises_.Compare("a delete", expected, answer);
  if (!answer) return Refuse(call, Method::kDeleteRange, answer.error());
  End(call, Method::kDeleteRange, answer->ticket, {ToWire(*answer), answer->revision});
}

void VirtualRun::Do(const Txn& txn) {
  const store::TxnOp op = OperationOf(txn, kAlone, values());
  const CallId call = Begin(Method::kTxn, ToWire(op));
  const auto expected = reference_.Txn(op);
  const auto answer = store_->Txn(op);
  promises_.Compare("a transaction", expected, answer);
  if (!answer) return Refuse(call, Method::kTxn, answer.error());
  End(call, Method::kTxn, answer->ticket, {ToWire(*answer), answer->revision});
}

void VirtualRun::Do(const Grant& grant) {
  const CallId call = Begin(Method::kLeaseGrant, GrantToWire(grant.lease, grant.seconds));
  const store::LeaseRequest request{.id = grant.lease, .ttl = std::chrono::seconds(grant.seconds)};
  const store::Ticket before = disk_.last();
  const auto granted = lessor_->Grant(request, Now());
  const auto expected = reference_.Grant(request, granted ? granted->id : 0, Now(), before);
  promises_.Compare("a grant", expected, granted);
  expiry_due_ = {};  // a grant wakes the thread
  if (!granted) return Refuse(call, Method::kLeaseGrant, granted.error());
  End(call, Method::kLeaseGrant, granted->ticket,
      {.response = GrantedToWire(granted->revision, granted->id, granted->ttl.count()),
       .header = granted->revision});
}

void VirtualRun::Do(const Revoke& revoke) {
  const CallId call = Begin(Method::kLeaseRevoke, RevokeToWire(revoke.lease));
  const auto expected = reference_.Revoke(revoke.lease);
  const auto revoked = lessor_->Revoke(revoke.lease);
  promises_.Compare<Revision>("a revocation", expected,
                              revoked.map([](const auto& answer) { return answer.revision; }));
  if (!revoked) return Refuse(call, Method::kLeaseRevoke, revoked.error());
  End(call, Method::kLeaseRevoke, revoked->ticket,
      {.response = HeaderToWire(revoked->revision), .header = revoked->revision});
}

void VirtualRun::Do(const KeepAlive& keep) {
  const auto expected = reference_.KeepAlive(keep.lease, Now());
  promises_.Compare("a keep-alive", expected, lessor_->KeepAlive(keep.lease, Now()));
}

void VirtualRun::Do(const Get& get) {
  const store::RangeQuery query = OperationOf(get, kAlone, Resolve(get.at));
  const CallId call = Begin(Method::kRange, ToWire(query));
  const auto answer = store_->Range(query);
  promises_.Compare("a read", reference_.Range(query), answer);
  if (!answer) return Refuse(call, Method::kRange, answer.error());
  End(call, Method::kRange, answer->ticket, {ToWire(*answer), answer->revision});
}

void VirtualRun::Do(const Compact& compact) {
  const std::int64_t at = Resolve(compact.at);
  const CallId call = Begin(Method::kCompact, CompactToWire(at));
  const auto expected = reference_.Compact(at);
  const auto answer = store_->Compact(Revision(at));
  promises_.Compare("a compaction", expected, answer);
  if (!answer) return Refuse(call, Method::kCompact, answer.error());
  End(call, Method::kCompact, answer->ticket,
      {.response = HeaderToWire(answer->revision), .header = answer->revision, .learn = [this, at] {
         floor_ = std::max(floor_, at);
       }});
}

}  // namespace watchproof::explore
