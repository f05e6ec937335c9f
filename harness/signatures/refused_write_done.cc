// SPDX-License-Identifier: Apache-2.0
// refused-write-done (etcd #18667): a member refused a transaction that others did, and counts
// other revisions from then on.
#include "harness/signatures/signature.h"

namespace watchproof {

WP_SIGNATURE(RefusedWriteDone, "refused-write-done") {
  const std::optional<Rewind>& rewind = one.traces.rewind();
  return rewind && rewind->cause == Rewind::Cause::kRefusedWrite && one.draft.lost &&
         one.draft.lost->change.revision > rewind->to;
}

}  // namespace watchproof
