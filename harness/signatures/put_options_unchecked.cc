// SPDX-License-Identifier: Apache-2.0
// put-options-unchecked (CVE-2026-44283): a put in a transaction returns the previous value, and
// joins a lease, as if it did not.
#include <algorithm>

#include "harness/signatures/signature.h"

namespace watchproof {

WP_SIGNATURE(PutOptionsUnchecked, "put-options-unchecked") {
  using For = NeededRight::For;
  const auto* const call = one.As<symptom::NotRefused>();
  return call != nullptr && call->missing.of == CallOf::kAnyone &&
         std::ranges::all_of(call->missing.rights, [](const NeededRight& right) {
           return right.depth > 0 && (right.what == For::kReplaced || right.what == For::kLeased);
         });
}

}  // namespace watchproof
