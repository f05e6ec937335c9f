// SPDX-License-Identifier: Apache-2.0
// revoked-on-waking (etcd #15247, and what its mend has left): a leader that was stopped goes on,
// and has leases revoked that were renewed at its successor. Before the mend it never asked whether
// it still leads; since then it asks unless its clock has just ticked, which is what it does first.
#include <algorithm>

#include "harness/signatures/signature.h"

namespace watchproof {

WP_SIGNATURE(RevokedOnWaking, "revoked-on-waking") {
  const auto* const lost = one.As<symptom::LeaseEnded>();
  if (lost == nullptr) return false;
  // It asks at once for the ends of sixteen leases that it takes for overdue. What it asks for
  // before it learns of its successor is lost and given up after seven seconds (five, and two
  // elections); then the next sixteen have their turn.
  constexpr Duration kGivenUp = 7s;
  constexpr int kTurns = 3;
  // Soon enough a client asks for the lease. What is under way by then also ends leases that are
  // renewed once more, but none that is granted later.
  constexpr Duration kSoon = 3s;
  constexpr Duration kUnderWay = 500ms;
  const Duration since = std::min(kSoon, one.at() - lost->there_at + kUnderWay);
  for (int turn = 0; turn < kTurns; ++turn) {
    if (one.traces.WasWoken(one.at() - turn * kGivenUp, since, lost->granted)) return true;
  }
  return false;
}

}  // namespace watchproof
