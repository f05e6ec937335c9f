// SPDX-License-Identifier: Apache-2.0
// kept-value-deleted: a transaction deletes a key by a range without an end, and puts it with the
// value that it has. Each member has it in its log before it finds nothing to keep, ends, and ends
// again whenever it starts.
#include "harness/signatures/signature.h"

namespace watchproof {

WP_SIGNATURE(KeptValueDeleted, "kept-value-deleted") {
  return one.traces.keeps_deleted() &&
         (one.Says("unexpected error during txn") || one.Says("txn.put < txn.executeTxn"));
}

}  // namespace watchproof
