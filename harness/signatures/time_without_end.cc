// SPDX-License-Identifier: Apache-2.0
// time-without-end (etcd #17642): a member that has just lost the lead still answers for it, with
// the time that it keeps for leases of which it no longer decides.
#include "harness/signatures/signature.h"

namespace watchproof {

WP_SIGNATURE(TimeWithoutEnd, "time-without-end") {
  const auto* const left = one.As<symptom::TimeLeft>();
  return left != nullptr && left->seconds > 100 * left->granted;
}

}  // namespace watchproof
