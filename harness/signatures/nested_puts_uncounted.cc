// SPDX-License-Identifier: Apache-2.0
// nested-puts-uncounted (etcd #22139): what a transaction in a transaction puts takes up no space.
#include "harness/signatures/signature.h"

namespace watchproof {

WP_SIGNATURE(NestedPutsUncounted, "nested-puts-uncounted") {
  const auto* const beyond = one.As<symptom::BeyondLimit>();
  return beyond != nullptr && beyond->of_space && beyond->nested;
}

}  // namespace watchproof
