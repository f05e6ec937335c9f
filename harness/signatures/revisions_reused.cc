// SPDX-License-Identifier: Apache-2.0
// revisions-reused (etcd #17780): after a crash inside a compaction revisions are given out again,
// and what had been made at them is gone.
#include "harness/signatures/signature.h"

namespace watchproof {

WP_SIGNATURE(RevisionsReused, "revisions-reused") {
  return one.LostAfter(Rewind::Cause::kCompaction);
}

}  // namespace watchproof
