// SPDX-License-Identifier: Apache-2.0
// false-notice (etcd #15271): a member that was sent a snapshot of the store ends watches with
// ErrCompacted that have missed nothing.
#include "harness/signatures/signature.h"

namespace watchproof {

WP_SIGNATURE(FalseNotice, "false-notice") {
  return one.As<symptom::FalseNotice>() != nullptr && one.facts.faults.MembersParted({});
}

}  // namespace watchproof
