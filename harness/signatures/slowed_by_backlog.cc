// SPDX-License-Identifier: Apache-2.0
// slowed-by-backlog (etcd #22264): each pass for a watch far behind reads all that it lacks, while
// nothing can be written.
#include "harness/signatures/signature.h"

namespace watchproof {

WP_SIGNATURE(SlowedByBacklog, "slowed-by-backlog") {
  const auto* const burden = one.As<symptom::Burden>();
  return burden != nullptr && burden->figure == Figure::kPuts && burden->beside == kFarBehind;
}

}  // namespace watchproof
