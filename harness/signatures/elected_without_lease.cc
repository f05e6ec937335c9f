// SPDX-License-Identifier: Apache-2.0
// elected-without-lease: after its wait, a caller is elected without a look at its lease.
#include "harness/signatures/signature.h"

namespace watchproof {

WP_SIGNATURE(ElectedWithoutLease, "elected-without-lease") {
  const auto* const won = one.As<symptom::HeldWithoutLease>();
  return won != nullptr && won->election;
}

}  // namespace watchproof
