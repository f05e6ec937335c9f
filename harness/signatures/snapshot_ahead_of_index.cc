// SPDX-License-Identifier: Apache-2.0
// snapshot-ahead-of-index (etcd #20426): a leader that starts again after a crash may have applied
// more than it knows to be committed. A snapshot that it sends then holds more than its index says,
// which one of etcd's own assertions finds.
#include "harness/signatures/signature.h"

namespace watchproof {

WP_SIGNATURE(SnapshotAheadOfIndex, "snapshot-ahead-of-index") {
  return one.Says("isn't equal to snapshot index") &&
         one.facts.faults.LatestCrash(one.facts.latest.line).value > 0;
}

}  // namespace watchproof
