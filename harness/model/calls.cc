// SPDX-License-Identifier: Apache-2.0
#include "harness/model/calls.h"

#include <algorithm>

#include "harness/model/operations.h"

namespace watchproof {
namespace {

bool AllSerializable(const std::vector<OperationView>& operations) {
  return std::all_of(operations.begin(), operations.end(), [](const OperationView& operation) {
    return operation.kind == OperationKind::kRange &&
           IsSerializable(Method::kRange, operation.body);
  });
}

}  // namespace

// etcd answers a transaction without consensus if it holds only serializable ranges.
bool IsSerializable(Method method, std::string_view request) {
  if (method == Method::kRange) {
    RangeRequestView range;
    return Parse(request, range).ok() && range.serializable;
  }
  if (method != Method::kTxn) return false;
  TxnRequestView txn;
  return Parse(request, txn).ok() && AllSerializable(txn.success) && AllSerializable(txn.failure);
}

OperationKind KindOf(Method method) {
  switch (method) {
    case Method::kRange:
      return OperationKind::kRange;
    case Method::kPut:
      return OperationKind::kPut;
    case Method::kDeleteRange:
      return OperationKind::kDeleteRange;
    case Method::kTxn:
      return OperationKind::kTxn;
    default:
      return OperationKind::kNone;
  }
}

void CallLog::Consume(const NumberedEntry& line) {
  const Entry& entry = line.entry;
  if (entry.kind == EntryKind::kCallStarted && KindOf(entry.method) != OperationKind::kNone) {
    Begin(line);
  }
  if (entry.kind == EntryKind::kCallEnded) End(line);
  if (entry.method == Method::kLeaseGrant || entry.method == Method::kLeaseRevoke) {
    FollowLease(line);
  }
}

void CallLog::FollowLease(const NumberedEntry& line) {
  const Entry& entry = line.entry;
  if (entry.kind == EntryKind::kCallStarted && entry.method == Method::kLeaseRevoke) {
    LeaseRevokeRequestView request;
    if (!Parse(entry.payload.view(), request).ok()) return;
    revoking_[entry.call.value] = {request.id, line.line};
  }
  if (entry.kind != EntryKind::kCallEnded || entry.code != StatusCode::kOk) return;
  LeaseGrantResponseView granted;
  if (entry.method == Method::kLeaseGrant && Parse(entry.payload.view(), granted).ok()) {
    revoked_.erase(granted.id);
  }
  const auto revoking = revoking_.find(entry.call.value);
  if (revoking == revoking_.end()) return;
  revoked_[revoking->second.lease] = {revoking->second.began, line.line};
}

std::uint32_t CallLog::ClientOf(const std::string& name) {
  if (name.empty()) return 0;
  const auto next = static_cast<std::uint32_t>(client_names_.size());
  const auto [entry, is_new] = clients_.emplace(name, next);
  if (is_new) client_names_.push_back(name);
  return entry->second;
}

void CallLog::Begin(const NumberedEntry& line) {
  const Entry& entry = line.entry;
  RecordedCall& call = calls_.emplace_back();
  call.id = entry.call;
  call.method = entry.method;
  call.serializable = IsSerializable(entry.method, entry.payload.view());
  call.client = ClientOf(entry.text);
  call.began = line.line;
  call.at = entry.at;
  call.request = entry.payload;
  call.before = reached_;
  if (reached_by_.size() <= call.client) reached_by_.resize(call.client + 1);
  if (call.client != 0) call.before_here = reached_by_[call.client];
  any_write_ = any_write_ || IsWrite(call.method);
  out_[entry.call.value] = &call;
}

void CallLog::Reach(Revision revision, Line line) {
  if (revision > reached_.revision) reached_ = {revision, line};
  if (!any_write_) base_ = std::max(base_, revision);
}

void CallLog::End(const NumberedEntry& line) {
  const Entry& entry = line.entry;
  HeaderView header;
  const bool answered =
      entry.code == StatusCode::kOk && ParseHeader(entry.payload.view(), header).ok();
  const Revision revision(header.revision);
  if (answered) Reach(revision, line.line);
  const auto out = out_.find(entry.call.value);
  if (out == out_.end()) return;
  RecordedCall& call = *out->second;
  out_.erase(out);
  call.ended = line.line;
  call.at = entry.at;
  call.code = entry.code;
  ended_.push_back(&call);
  if (answered) {
    call.outcome = CallOutcome::kAnswered;
    call.revision = revision;
    call.response = entry.payload;
    Reached& here = reached_by_[call.client];
    if (revision > here.revision) here = {revision, line.line};
  } else if (IsDefiniteRefusal(entry.code)) {
    call.outcome = CallOutcome::kRefused;
  } else {
    // The connection may have been lost; the next one may lead to another member.
    reached_by_[call.client] = {};
  }
}

}  // namespace watchproof
