// SPDX-License-Identifier: Apache-2.0
// write-lost (etcd #14370): a member alone acknowledged a write before it was on disk, and crashed.
#include "harness/signatures/signature.h"

namespace watchproof {

WP_SIGNATURE(WriteLost, "write-lost") {
  if (one.LostAfter(Rewind::Cause::kLostWrite)) return true;
  const auto* const write = one.As<symptom::OtherWrite>();
  return write != nullptr && one.facts.faults.LatestCrash(write->seen) > write->acknowledged;
}

}  // namespace watchproof
