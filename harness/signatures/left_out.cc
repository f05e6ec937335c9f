// SPDX-License-Identifier: Apache-2.0
// left-out (etcd #13766): a member that crashed leaves a write out, and counts lower revisions from
// then on.
#include "harness/signatures/signature.h"

namespace watchproof {

WP_SIGNATURE(LeftOut, "left-out") { return one.LostAfter(Rewind::Cause::kLeftOut); }

WP_SIGNATURE(CountsLess, "left-out") {
  return one.CountsLess() && one.facts.faults.LatestCrash(one.draft.where.line).value > 0;
}

}  // namespace watchproof
