// SPDX-License-Identifier: Apache-2.0
// refused-write-done (etcd #18667): a member refused a transaction that others did, and counts
// other revisions from then on.
#include "harness/signatures/signature.h"

namespace watchproof {

WP_SIGNATURE(RefusedWriteDone, "refused-write-done") {
  return one.LostAfter(Rewind::Cause::kRefusedWrite);
}

}  // namespace watchproof
