// SPDX-License-Identifier: Apache-2.0
// revoked-on-waking (etcd #15247, and what its mend has left): a leader that was stopped goes on,
// and has leases revoked that were renewed at its successor. Before the mend it never asked whether
// it still leads; since then it asks unless its clock has just ticked, which is what it does first.
#include "harness/signatures/signature.h"

namespace watchproof {

WP_SIGNATURE(RevokedOnWaking, "revoked-on-waking") {
  const auto* const lost = one.As<symptom::LeaseEnded>();
  const auto* const left = one.As<symptom::TimeLeft>();
  if (lost == nullptr && (left == nullptr || left->seconds >= 0)) return false;
  const Line granted = lost != nullptr ? lost->granted : left->since;
  const Duration there_at = lost != nullptr ? lost->there_at : one.at();
  // It does so at once, and soon enough a client asks for the lease. What is under way by then also
  // ends leases that are renewed once more, but none that is granted later.
  constexpr Duration kSoon = 3s;
  constexpr Duration kUnderWay = 500ms;
  const FaultLog& faults = one.facts.faults;
  return one.traces.WasWoken(one.at(), kSoon) &&
         (faults.MembersParted(one.draft.evidence.front()) ||
          (one.traces.WasWoken(there_at, kUnderWay) && faults.MembersParted(granted)));
}

}  // namespace watchproof
