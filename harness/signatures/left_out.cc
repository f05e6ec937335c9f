// SPDX-License-Identifier: Apache-2.0
// left-out (etcd #13766): a member that crashed leaves a write out, and counts lower revisions from
// then on.
#include "harness/signatures/signature.h"

namespace watchproof {

WP_SIGNATURE(LeftOut, "left-out") {
  // It never comes to the revision of the others.
  const auto* const behind = one.As<symptom::MemberBehind>();
  const bool counts_less = behind != nullptr && behind->applied &&
                           one.facts.faults.LatestCrash(one.draft.where.line).value > 0;
  return counts_less || one.LostAfter(Rewind::Cause::kLeftOut);
}

}  // namespace watchproof
