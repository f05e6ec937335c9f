// SPDX-License-Identifier: Apache-2.0
// backlog-kept (etcd #21355): what a pass has read for watches far behind is kept for the next
// pass, and once they have caught up for one that never comes.
#include "harness/signatures/signature.h"

namespace watchproof {

WP_SIGNATURE(BacklogKept, "backlog-kept") {
  const auto* const burden = one.As<symptom::Burden>();
  return burden != nullptr && burden->figure == Figure::kKept && burden->beside == kCaughtUp;
}

}  // namespace watchproof
