// SPDX-License-Identifier: Apache-2.0
// refused-write-done (etcd #18667): a member refused a transaction that others did, and counts
// other revisions from then on.
#include <algorithm>

#include "harness/signatures/signature.h"

namespace watchproof {

WP_SIGNATURE(RefusedWriteDone, "refused-write-done") {
  return one.LostAfter(Rewind::Cause::kRefusedWrite) ||
         std::ranges::any_of(one.draft.evidence,
                             [&one](Line line) { return one.traces.RefusedAndDone(line); });
}

}  // namespace watchproof
