// SPDX-License-Identifier: Apache-2.0
// revoked-on-waking (etcd #15247, and what its mend has left): a leader that was stopped goes on,
// and has leases revoked that were renewed at its successor. Before the mend it never asked whether
// it still leads; since then it asks unless its clock has just ticked, which is what it does first.
#include "harness/signatures/signature.h"

namespace watchproof {

WP_SIGNATURE(RevokedOnWaking, "revoked-on-waking") {
  const auto* const left = one.As<symptom::TimeLeft>();
  const bool ended =
      one.As<symptom::LeaseEnded>() != nullptr || (left != nullptr && left->seconds < 0);
  // It does so at once, and soon enough a client asks for the lease.
  constexpr Duration kSoon = 3s;
  return ended && one.facts.faults.WasHealed("pause", one.at(), kSoon) &&
         one.facts.faults.MembersParted(one.draft.evidence.front());
}

}  // namespace watchproof
