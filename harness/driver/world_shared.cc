// SPDX-License-Identifier: Apache-2.0
// What a target that others use too needs: everything below a prefix and taken away at the end, and
// a look at whether others compact what the attempt uses of its history.
#include <algorithm>

#include "harness/driver/world.h"

namespace watchproof {
namespace {

constexpr std::chrono::seconds kLongestLease{120};

}  // namespace

// Requires: the last byte is below 0xff.
std::string EndOfPrefix(std::string prefix) {
  ++prefix.back();
  return prefix;
}

// On a target that others use too: whether the whole attempt is still there to be read, but for
// what we had compacted ourselves. If so nobody else has compacted any of it.
Status World::CheckFloor() {
  if (!started_.others_compact) return {};
  AskAt(std::max(first_head_, judge_.compacted_through()));
  return {};
}

// A compaction by others shows in reads, too: one just below is refused from then on, for ever.
void World::ConfirmFloors() {
  while (const auto floor = judge_.UnconfirmedFloor()) {
    AskAt(floor->previous());
    PumpAll();
    // Without an answer it stays a claim of the target.
    if (judge_.UnconfirmedFloor() == floor) return;
  }
}

// The answer is the recording's.
void World::AskAt(Revision revision) {
  [[maybe_unused]] const auto answer =
      kv().Read({.key = prefix_, .limit = 1, .revision = revision});
}

Result<Revision> World::Head() {
  if (prefix_.empty()) return kv().Head();
  return kv().Read({.key = prefix_, .limit = 1});
}

Result<std::int64_t> World::Grant(std::chrono::seconds ttl) {
  if (!target().shared()) return kv().Grant(ttl);
  // Whatever becomes of us, it is gone soon.
  WP_ASSIGN_OR_RETURN(const std::int64_t lease, kv().Grant(std::min(ttl, kLongestLease)));
  granted_.insert(lease);
  return lease;
}

// A target may take a lease off its list some time before it takes the keys.
Result<bool> World::Lives(std::int64_t lease) {
  WP_ASSIGN_OR_RETURN(const bool listed, kv().HasLease(lease));
  if (listed) return true;
  const std::string every("\0", 1);
  return kv().HasKeysOn(lease, prefix_.empty() ? every : prefix_,
                        prefix_.empty() ? every : EndOfPrefix(prefix_));
}

// Goes on after an error: what can be taken away is.
Status World::CleanUp() {
  if (prefix_.empty() || kvs_.empty() || Died()) return {};
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
              kLongestLease.count(), spec_.target, why.ok() ? "" : ": " + why.message());
}

}  // namespace watchproof
