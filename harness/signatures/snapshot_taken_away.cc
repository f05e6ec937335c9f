// SPDX-License-Identifier: Apache-2.0
// snapshot-taken-away (etcd #18055): a member that puts a received snapshot in its place finds the
// file gone, since it has been sent a newer one, and ends.
#include "harness/signatures/signature.h"

namespace watchproof {

WP_SIGNATURE(SnapshotTakenAway, "snapshot-taken-away") {
  return (one.Says("failed to open snapshot backend") ||
          one.Says("failed to rename database snapshot file") ||
          one.Says("rename snapshot file error")) &&
         one.facts.faults.MembersParted({});
}

}  // namespace watchproof
