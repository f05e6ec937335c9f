// SPDX-License-Identifier: Apache-2.0
// stale-read: the leader may have changed since the later revision was reported.
#include "harness/signatures/signature.h"

namespace watchproof {

WP_SIGNATURE(StaleRead, "stale-read") {
  const auto* const back = one.As<symptom::BackInTime>();
  return back != nullptr && back->call->method == Method::kRange &&
         back->call->revision.value > 0 && one.facts.faults.MembersParted(back->call->before.line);
}

}  // namespace watchproof
