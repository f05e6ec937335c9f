// SPDX-License-Identifier: Apache-2.0
#include "harness/import/lease_keys.h"

#include <algorithm>

namespace watchproof {
namespace {

using Kind = ReportedCall::Kind;
using Outcome = ReportedCall::Outcome;

bool Writes(const ReportedCall& call) {
  return std::any_of(call.ran().begin(), call.ran().end(), [](const ReportedOperation& each) {
    return each.kind != ReportedOperation::Kind::kRange;
  });
}

}  // namespace

LeaseKeys::LeaseKeys(const std::vector<ClientReport>& reports) {
  std::vector<const ReportedCall*> answered;
  for (const ClientReport& report : reports) {
    for (const ReportedCall& call : report.calls) {
      if (call.kind != Kind::kTxn && call.kind != Kind::kLeaseRevoke) continue;
      if (call.outcome == Outcome::kAnswered) answered.push_back(&call);
      for (const auto* operations : {&call.on_success, &call.on_failure}) {
        for (const ReportedOperation& operation : *operations) {
          if (operation.kind == ReportedOperation::Kind::kRange) continue;
          if (operation.lease != 0) ever_[operation.lease].insert(operation.key);
          if (call.outcome == Outcome::kUnknown) undecided_.insert(operation.key);
        }
      }
    }
  }
  Follow(answered);
  // Another revocation without an answer may have deleted the keys before.
  for (const ClientReport& report : reports) {
    for (const ReportedCall& call : report.calls) {
      if (call.kind != Kind::kLeaseRevoke || call.outcome != Outcome::kUnknown) continue;
      const auto ever = ever_.find(call.lease);
      if (ever != ever_.end()) undecided_.insert(ever->second.begin(), ever->second.end());
    }
  }
}

// A revocation that deletes keys makes a revision of its own, so it comes before any other call
// answered with that revision; if such a call is a write, the revocation deleted nothing.
void LeaseKeys::Follow(const std::vector<const ReportedCall*>& answered) {
  std::vector<const ReportedCall*> calls = answered;
  std::stable_sort(calls.begin(), calls.end(), [](const auto* a, const auto* b) {
    if (a->revision != b->revision) return a->revision < b->revision;
    return a->kind == Kind::kLeaseRevoke && b->kind != Kind::kLeaseRevoke;
  });
  std::set<std::int64_t> written;
  for (const ReportedCall* call : calls) {
    if (call->kind == Kind::kTxn && Writes(*call)) written.insert(call->revision);
  }
  std::map<std::string, std::int64_t> lease_of;
  for (const ReportedCall* call : calls) {
    if (call->kind == Kind::kLeaseRevoke && !written.contains(call->revision)) {
      std::vector<std::string>& keys = revoked_[call];
      std::erase_if(lease_of, [&](const auto& key) {
        if (key.second != call->lease) return false;
        keys.push_back(key.first);
        return true;
      });
    }
    for (const ReportedOperation& operation : call->ran()) {
      if (operation.kind == ReportedOperation::Kind::kPut)
        lease_of[operation.key] = operation.lease;
      if (operation.kind == ReportedOperation::Kind::kDelete) lease_of.erase(operation.key);
    }
  }
}

std::optional<std::vector<std::string>> LeaseKeys::DeletedBy(const ReportedCall& revoke) const {
  const auto ever = ever_.find(revoke.lease);
  if (ever == ever_.end()) return std::vector<std::string>();
  const bool unanswered = std::any_of(ever->second.begin(), ever->second.end(),
                                      [&](const auto& key) { return undecided_.contains(key); });
  if (unanswered || revoke.outcome != Outcome::kAnswered) return std::nullopt;
  const auto found = revoked_.find(&revoke);
  return found == revoked_.end() ? std::vector<std::string>() : found->second;
}

}  // namespace watchproof
