// SPDX-License-Identifier: Apache-2.0
// locked-without-lease (etcd #11408): after its wait, a caller is given the lock without a look at
// its lease.
#include "harness/signatures/signature.h"

namespace watchproof {

WP_SIGNATURE(LockedWithoutLease, "locked-without-lease") {
  const auto* const won = one.As<symptom::HeldWithoutLease>();
  return won != nullptr && !won->election;
}

}  // namespace watchproof
