// SPDX-License-Identifier: Apache-2.0
// done-beyond-space: a write was carried out, and then refused because the store had no space left.
#include <algorithm>

#include "harness/signatures/signature.h"

namespace watchproof {

WP_SIGNATURE(DoneBeyondSpace, "done-beyond-space") {
  return std::ranges::any_of(one.facts.model.writers().phantoms(), [&one](const Phantom& phantom) {
    return phantom.call->outcome == CallOutcome::kRefused &&
           phantom.call->code == StatusCode::kResourceExhausted &&
           std::ranges::count(one.draft.evidence, phantom.seen.line) > 0;
  });
}

}  // namespace watchproof
