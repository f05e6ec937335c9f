// SPDX-License-Identifier: Apache-2.0
// revisions-reused (etcd #17780): after a crash inside a compaction revisions are given out again,
// and what had been made at them is gone.
#include "harness/signatures/signature.h"

namespace watchproof {

WP_SIGNATURE(RevisionsReused, "revisions-reused") {
  const std::optional<Rewind>& rewind = one.traces.rewind();
  return rewind && rewind->cause == Rewind::Cause::kCrash && one.draft.lost &&
         one.draft.lost->change.revision > rewind->to;
}

}  // namespace watchproof
