// SPDX-License-Identifier: Apache-2.0
#include "harness/model/calls.h"

#include <algorithm>
#include <utility>

#include "harness/model/operations.h"
#include "harness/model/refusals.h"

namespace watchproof {
namespace {

bool AllSerializable(const std::vector<OperationView>& operations) {
  return std::all_of(operations.begin(), operations.end(), [](const OperationView& operation) {
    return operation.kind == Method::kRange && IsSerializable(Method::kRange, operation.body);
  });
}

std::int64_t NamedBy(Method method, std::string_view request) {
  RangeRequestView range;
  CompactionRequestView compaction;
  LeaseRequestView lease;
  if (method == Method::kRange && Parse(request, range).ok()) return range.revision;
  if (method == Method::kCompact && Parse(request, compaction).ok()) return compaction.revision;
  const bool of_lease = method == Method::kLeaseRevoke || method == Method::kLeaseKeepAlive;
  return of_lease && Parse(request, lease).ok() ? lease.id : 0;
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

const RecordedCall* CallLog::Consume(const NumberedEntry& line) {
  while (keep_ == Keep::kOpen && !calls_.empty() && calls_.front().ended.value != 0) {
    calls_.pop_front();
  }
  if (line.entry.kind == EntryKind::kCallStarted) return Begin(line);
  return line.entry.kind == EntryKind::kCallEnded ? End(line) : nullptr;
}

std::uint32_t CallLog::ClientOf(const std::string& name) {
  if (name.empty()) return 0;
  const auto next = static_cast<std::uint32_t>(client_names_.size());
  const auto [entry, is_new] = clients_.emplace(name, next);
  if (is_new) client_names_.push_back(name);
  return entry->second;
}

const RecordedCall* CallLog::Begin(const NumberedEntry& line) {
  const Entry& entry = line.entry;
  RecordedCall& call = calls_.emplace_back();
  call.id = entry.call;
  call.method = entry.method;
  call.serializable = IsSerializable(entry.method, entry.payload.view());
  call.client = ClientOf(entry.text);
  call.in_parts = entry.text.ends_with(kInParts);
  call.named = NamedBy(entry.method, entry.payload.view());
  call.began = line.line;
  call.at = entry.at;
  call.request = entry.payload;
  call.floor = acknowledged_;
  call.before = reached_;
  if (reached_by_.size() <= call.client) reached_by_.resize(call.client + 1);
  if (call.client != 0) call.before_here = reached_by_[call.client];
  any_write_ = any_write_ || IsWrite(call.method);
  if (call.method == Method::kLeaseRevoke) {
    leases_[call.named].revocations.push_back({.id = call.id, .began = line.line});
  }
  if (call.method == Method::kCompact) {
    const Revision revision(call.named);
    compactions_.insert(revision);
    pending_[call.id.value] = revision;
    requested_ = std::max(requested_, revision);
  }
  out_[call.id.value] = &call;
  return &call;
}

const RecordedCall* CallLog::End(const NumberedEntry& line) {
  const Entry& entry = line.entry;
  HeaderView header;
  const bool answered =
      entry.code == StatusCode::kOk && ParseHeader(entry.payload.view(), header).ok();
  const Revision revision(header.revision);
  if (answered && revision > reached_.revision) reached_ = {revision, line.line};
  const auto out = out_.find(entry.call.value);
  if (out == out_.end()) return nullptr;
  RecordedCall& call = *out->second;
  out_.erase(out);
  call.ended = line.line;
  call.took = entry.at - call.at;
  call.at = entry.at;
  call.code = entry.code;
  call.compacted_meanwhile = requested_ > call.floor;
  call.for_user = entry.code != StatusCode::kOk && IsAboutUser(entry.text);
  if (answered) {
    call.outcome = CallOutcome::kAnswered;
    call.revision = revision;
    call.member = header.member_id;
    call.response = entry.payload;
  } else if (IsDefiniteRefusal(entry.code)) {
    call.outcome = CallOutcome::kRefused;
  }
  if (IsKeyValue(call.method)) EndKeyValueCall(call);
  FollowLease(call);
  if (call.method == Method::kRange) EndRead(call);
  if (call.method == Method::kCompact) EndCompaction(call);
  return &call;
}

void CallLog::EndKeyValueCall(const RecordedCall& call) {
  if (keep_ == Keep::kAll) ended_.push_back(&call);
  Reached& here = reached_by_[call.client];
  // Without a certain outcome the connection may have been lost; the next one may lead to another
  // member.
  if (call.outcome == CallOutcome::kOpen) here = {};
  if (call.outcome == CallOutcome::kAnswered && call.revision > here.revision) {
    here = {call.revision, call.ended};
  }
}

void CallLog::FollowLease(const RecordedCall& call) {
  const bool answered = call.outcome == CallOutcome::kAnswered;
  LeaseResponseView granted;
  if (call.method == Method::kLeaseGrant && answered && Parse(call.response.view(), granted).ok()) {
    Lease& lease = leases_[granted.id];
    lease.revoked = {};
    if (lease.granted.value == 0) lease.granted = call.ended;
    // It may have been revoked before the answer to its grant.
    std::erase_if(lease.revocations, [&call](const Lease::Revocation& one) {
      return one.ended.value != 0 && one.ended < call.began;
    });
  } else if (call.method == Method::kLeaseRevoke) {
    Lease& lease = leases_[call.named];
    for (Lease::Revocation& one : lease.revocations) {
      if (one.id != call.id || call.outcome == CallOutcome::kOpen) continue;
      one.ended = call.ended;
      one.refused = !answered;
    }
    if (!answered) return;
    lease.revoking_began = call.began;
    lease.revoked = call.ended;
  }
}

void CallLog::EndRead(const RecordedCall& call) {
  const bool answered = call.outcome == CallOutcome::kAnswered;
  if (answered && !call.serializable && call.began > latest_reading_.started) {
    latest_reading_ = {call.began, call.revision};
  }
  if (call.named <= 0) return;
  const Revision past(call.named);
  reads_.insert(past);
  if (call.code == StatusCode::kOk) readable_.emplace_back(call.began, past);
  if (call.code == StatusCode::kOutOfRange) unreadable_.insert(past);
}

void CallLog::Restored(Revision revision) {
  restored_ = true;
  acknowledged_ = requested_ = compacted_at_ = revision;
  compactions_.insert(revision);
  compacted_by_.clear();
  pending_.clear();
}

void CallLog::EndCompaction(const RecordedCall& call) {
  if (call.outcome == CallOutcome::kOpen) return;
  if (call.outcome == CallOutcome::kAnswered && call.member != 0) {
    compacted_by_[call.member].emplace_back(call.ended, Revision(call.named));
  }
  if (call.outcome == CallOutcome::kAnswered && Revision(call.named) > acknowledged_) {
    acknowledged_ = Revision(call.named);
    compacted_at_ = call.revision;
  }
  pending_.erase(call.id.value);
  requested_ = acknowledged_;
  for (const auto& [id, revision] : pending_) requested_ = std::max(requested_, revision);
}

Revision CallLog::CompactedBy(std::uint64_t member, Line before) const {
  Revision highest{};
  const auto acknowledged = compacted_by_.find(member);
  if (acknowledged == compacted_by_.end()) return highest;
  for (const auto& [line, revision] : acknowledged->second) {
    if (line < before) highest = std::max(highest, revision);
  }
  return highest;
}

std::optional<Line> CallLog::ReadableSince(Revision revision, Line since) const {
  for (const auto& [began, past] : readable_) {
    if (began > since && past <= revision) return began;
  }
  return std::nullopt;
}

Revision CallLog::GoneBelow() const {
  const auto beyond = unreadable_.upper_bound(reached_.revision);
  return beyond == unreadable_.begin() ? Revision() : std::prev(beyond)->next();
}

}  // namespace watchproof
