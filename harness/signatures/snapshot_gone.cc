// SPDX-License-Identifier: Apache-2.0
// snapshot-gone (etcd #22340): after a crash a member that was sent a snapshot does not start,
// since the file is gone that its log names.
#include "harness/signatures/signature.h"

namespace watchproof {

WP_SIGNATURE(SnapshotGone, "snapshot-gone") {
  return (one.Says("failed to recover v3 backend from snapshot") ||
          one.Says("failed to find database snapshot file") ||
          one.Says("recovering backend from snapshot error")) &&  // of 3.3
         one.facts.faults.LatestCrash(one.facts.latest.line).value > 0;
}

}  // namespace watchproof
