// SPDX-License-Identifier: Apache-2.0
// nested-rights-unchecked (CVE-2026-33343): what a transaction in a transaction reads and writes
// needs no right.
#include <algorithm>

#include "harness/signatures/signature.h"

namespace watchproof {

WP_SIGNATURE(NestedRightsUnchecked, "nested-rights-unchecked") {
  const auto* const call = one.As<symptom::NotRefused>();
  return call != nullptr && call->missing.of == CallOf::kAnyone &&
         std::ranges::all_of(call->missing.rights,
                             [](const NeededRight& right) { return right.depth > 1; });
}

}  // namespace watchproof
