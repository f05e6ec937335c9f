// SPDX-License-Identifier: Apache-2.0
// vote-forgotten (etcd #19557): etcd 3.5 does not write into its database that a learner was
// promoted, and 3.6 takes the votes from there.
#include "harness/signatures/signature.h"

namespace watchproof {

WP_SIGNATURE(VoteForgotten, "vote-forgotten") {
  if (!one.facts.faults.WasArmed("replace") || !one.facts.faults.WasArmed("restart")) return false;
  const auto* const differ = one.As<symptom::MembersDiffer>();
  const bool shown =
      differ != nullptr && differ->vote_lost && !differ->vote_won && !differ->unknown;
  // A cluster has one learner at most.
  return shown || one.Says("membership: too many learner members in cluster");
}

}  // namespace watchproof
