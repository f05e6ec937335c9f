// SPDX-License-Identifier: Apache-2.0
// replayed (etcd #15271): a member that was sent a snapshot of the store sends events again.
#include "harness/signatures/signature.h"

namespace watchproof {

WP_SIGNATURE(Replayed, "replayed") {
  return one.As<symptom::Repeated>() != nullptr && one.facts.faults.MembersParted({});
}

}  // namespace watchproof
