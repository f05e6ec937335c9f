// SPDX-License-Identifier: Apache-2.0
// applied-again (etcd #14685): after a crash that followed a defragmentation, what was written is
// written once more, at higher revisions.
#include "harness/signatures/signature.h"

namespace watchproof {

WP_SIGNATURE(AppliedAgain, "applied-again") { return one.LostAfter(Rewind::Cause::kAppliedAgain); }

}  // namespace watchproof
