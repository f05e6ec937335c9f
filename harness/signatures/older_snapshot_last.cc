// SPDX-License-Identifier: Apache-2.0
// older-snapshot-last: after a crash a member that was sent a snapshot does not start, since it
// begins with an older one that it recorded later: what its log says is committed, or has next, is
// far ahead.
#include "harness/signatures/signature.h"

namespace watchproof {

WP_SIGNATURE(OlderSnapshotLast, "older-snapshot-last") {
  const bool gap = one.Says("wal: slice bounds out of range, snapshot[Index: ");
  return (gap || (one.Says("state.commit ") && one.Says(" is out of range ["))) &&
         one.facts.faults.LatestCrash(one.facts.latest.line).value > 0;
}

}  // namespace watchproof
