// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <utility>

#include "harness/explore/stepped/store_operations.h"
#include "harness/explore/stepped/virtual_run.h"

namespace watchproof::explore {
namespace {

const Placement kAlone;

}  // namespace

VirtualRun::Call VirtualRun::Begin(Method method, std::string request) {
  staged_before_ = disk_.last();
  return {recording_.Started(method, std::move(request)), method};
}

void VirtualRun::Record(Call call, const Answer& answer) {
  if (answer.status.ok()) {
    recording_.Ended(call.id, call.method, answer.response);
  } else {
    recording_.Failed(call.id, call.method, answer.status);
  }
  if (answer.header.value > head_) {
    written_ += call.method == Method::kPut ? 'p' : 'd';
    head_ = answer.header.value;
  }
  if (answer.learn) answer.learn();
}

// An answer waits for the first that its call wrote, or for everything that it may show. A refusal,
// too, may show what is not safe yet.
void VirtualRun::End(Call call, store::Ticket ticket, Answer answer) {
  if (!answer.status.ok()) features_.Error(call.method, answer.status.code());
  const bool wrote = disk_.last() > staged_before_;
  const store::Ticket least = wrote ? staged_before_.next() : disk_.staged();
  if (answer.status.ok() && (ticket < least || ticket > disk_.last())) {
    answers_.CompareTexts("an answer to wait until what it shows is safe",
                          fmt::format("{} to {}", least.value, disk_.last().value),
                          fmt::format("{}", ticket.value));
  }
  if (!script_.limits.disk) return Record(call, answer);
  outstanding_.push_back(call);
  disk_.WhenSafe(answer.status.ok() ? ticket : disk_.staged(),
                 [this, call, answer = std::move(answer)](const Status&) {
                   std::erase_if(outstanding_,
                                 [call](const Call& one) { return one.id == call.id; });
                   Record(call, answer);
                 });
}

template <typename T>
void VirtualRun::Settle(const char* what, Call call, const Result<T>& expected,
                        const Result<T>& answer, const std::function<void()>& learn) {
  answers_.Compare(what, expected, answer);
  if (!answer) return End(call, {}, {.status = answer.error()});
  End(call, answer->ticket,
      {.response = ToWire(*answer), .header = answer->revision, .learn = learn});
}

// The reference store is asked before the store itself.
template <typename Request>
void VirtualRun::Ask(const char* what, Method method, const Request& request, auto expected,
                     auto asked) {
  const Call call = Begin(method, ToMessage(request).bytes());
  const auto op = ToStore(request);
  const auto answer = (reference_.*expected)(op);
  Settle(what, call, answer, (*store_.*asked)(op));
}

void VirtualRun::Do(const Put& put) {
  for (std::int64_t i = 0; i < put.times; ++i) {
    Ask("a put", Method::kPut, RequestOf(put, kAlone, values_), &ReferenceStore::Put,
        &store::MvccStore::Put);
    if (put.paced) Quiet();
  }
}

void VirtualRun::Do(const Delete& erase) {
  Ask("a delete", Method::kDeleteRange, RequestOf(erase, kAlone), &ReferenceStore::Delete,
      &store::MvccStore::DeleteRange);
}

void VirtualRun::Do(const Txn& txn) {
  Ask("a transaction", Method::kTxn, RequestOf(txn, kAlone, values_, known_), &ReferenceStore::Txn,
      &store::MvccStore::Txn);
}

void VirtualRun::Do(const Grant& grant) {
  const Call call = Begin(Method::kLeaseGrant, GrantOf(grant.lease, grant.seconds).bytes());
  const store::LeaseRequest request{.id = grant.lease, .ttl = std::chrono::seconds(grant.seconds)};
  const auto granted = lessor_->Grant(request, Now());
  const auto expected = reference_.Grant(request, granted ? granted->id : 0, Now(), staged_before_);
  expiry_due_ = {};  // a grant wakes the thread
  Settle("a grant", call, expected, granted);
}

// The answer holds nothing but the revision.
void VirtualRun::Do(const Revoke& revoke) {
  const Call call = Begin(Method::kLeaseRevoke, LeaseOf(revoke.lease).bytes());
  const auto expected = reference_.Revoke(revoke.lease);
  const auto revoked = lessor_->Revoke(revoke.lease).map([](const store::DeleteAnswer& answer) {
    return store::CompactAnswer{answer.revision, answer.ticket};
  });
  Settle("a revocation", call, expected, revoked);
}

void VirtualRun::Do(const KeepAlive& keep) {
  const auto expected = reference_.KeepAlive(keep.lease, Now());
  answers_.Compare("a keep-alive", expected, lessor_->KeepAlive(keep.lease, Now()));
}

void VirtualRun::Do(const Get& get) {
  Ask("a read", Method::kRange, RequestOf(get, kAlone, known_), &ReferenceStore::Range,
      &store::MvccStore::Range);
}

void VirtualRun::Do(const Compact& compact) {
  const std::int64_t at = Resolve(compact.at);
  const Call call = Begin(Method::kCompact, CompactionAt(Revision(at), compact.physical).bytes());
  const auto expected = reference_.Compact(at);
  Settle("a compaction", call, expected, store_->Compact(Revision(at)),
         [this, at] { floor_ = std::max(floor_, at); });
}

}  // namespace watchproof::explore
