// SPDX-License-Identifier: Apache-2.0
// recreated-at-the-floor (etcd #22376): a compaction to a revision at which a key was deleted and
// put again removes the key. The member ends with the next read of it, or has lost it once it
// starts anew.
#include "harness/signatures/signature.h"

namespace watchproof {

WP_SIGNATURE(RecreatedAtTheFloor, "recreated-at-the-floor") {
  const auto& rewind = one.traces.rewind();
  const bool compacted = rewind && rewind->cause == Rewind::Cause::kRecreated;
  return one.LostAfter(Rewind::Cause::kRecreated) ||
         (compacted && one.Says("failed to find revision pair"));
}

}  // namespace watchproof
