// SPDX-License-Identifier: Apache-2.0
// previous-value-gone (etcd #10681): a target that is to end the watch where a previous value has
// been compacted leaves the value out.
#include "harness/signatures/signature.h"

namespace watchproof {

WP_SIGNATURE(PreviousValueGone, "previous-value-gone") {
  const auto* const missing = one.As<symptom::NoPrevious>();
  return missing != nullptr && !one.facts.options.others_compact &&
         missing->revision <= missing->compaction_requested;
}

}  // namespace watchproof
