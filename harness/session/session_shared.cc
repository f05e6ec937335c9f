// SPDX-License-Identifier: Apache-2.0
// For a target that others use, too: all keys are below a prefix and deleted at the end, and the
// attempt checks whether others compact history that it uses.
#include <algorithm>

#include "harness/session/session.h"

namespace watchproof {
namespace {

constexpr std::chrono::seconds kLongestLease{120};

}  // namespace

// Reads the first revision of the attempt, or the one that the attempt itself has compacted to. If
// it can be read, others have compacted no revision of the attempt.
Status AttemptSession::CheckFloor() {
  if (!options_.started.others_compact) return {};
  AskAt(std::max(first_head_, judge_->compacted_through()));
  return {};
}

// A compaction by others also shows in reads: one just below it is rejected from then on.
void AttemptSession::ConfirmFloors() {
  while (const auto floor = judge_->UnconfirmedFloor()) {
    AskAt(floor->previous());
    PumpAll();
    // Without an answer the compaction stays unconfirmed.
    if (judge_->UnconfirmedFloor() == floor) return;
  }
}

// The answer is recorded, and judged there.
void AttemptSession::AskAt(Revision revision) {
  [[maybe_unused]] const auto answer =
      kv().Read({.key = prefix_, .limit = 1, .revision = revision});
}

Result<Revision> AttemptSession::Head() {
  if (prefix_.empty()) return kv().Head();
  return kv().Read({.key = prefix_, .limit = 1});
}

Result<std::int64_t> AttemptSession::Grant(std::chrono::seconds ttl) {
  if (!target().shared()) return kv().Grant(ttl);
  // The lease ends soon even if the attempt cannot revoke it.
  WP_ASSIGN_OR_RETURN(const std::int64_t lease, kv().Grant(std::min(ttl, kLongestLease)));
  granted_.insert(lease);
  return lease;
}

// A target may take a lease off its list some time before it deletes the keys.
Result<bool> AttemptSession::HasLease(std::int64_t lease) {
  WP_ASSIGN_OR_RETURN(const bool listed, kv().HasLease(lease));
  if (listed) return true;
  return kv().HasKeysOn(lease, FirstKey(), EndOfPrefix(prefix_));
}

// Continues after an error, to delete as much as possible.
Status AttemptSession::CleanUp() {
  if (prefix_.empty() || kvs_.empty() || environment_.Died()) return {};
  std::size_t leases = 0;
  for (const std::int64_t lease : granted_) {
    const auto revoked = kv().Revoke(lease);
    if (revoked.has_value() || revoked.error().code() == StatusCode::kNotFound) continue;
    ++leases;
  }
  granted_.clear();
  const auto deleted = kv().Delete(prefix_, EndOfPrefix(prefix_));
  const auto left = kv().Count(prefix_, EndOfPrefix(prefix_));
  if (deleted.has_value() && left.has_value() && *left == 0 && leases == 0) return {};
  const Status why = deleted.has_value() ? Status() : deleted.error();
  return Fail(StatusCode::kUnavailable,
              "{} keys below {} and {} leases (of at most {} s) stay behind on {}{}",
              left.has_value() ? std::to_string(*left) : "an unknown number of", prefix_, leases,
              kLongestLease.count(), options_.target.text, why.ok() ? "" : ": " + why.message());
}

}  // namespace watchproof
