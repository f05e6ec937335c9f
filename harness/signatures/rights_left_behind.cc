// SPDX-License-Identifier: Apache-2.0
// rights-left-behind (etcd #14571): a member that was sent a snapshot goes on with the rights from
// before, refuses for itself what the others carry out, and has other data from there on.
#include "harness/signatures/signature.h"

namespace watchproof {

WP_SIGNATURE(RightsLeftBehind, "rights-left-behind") {
  return one.LostAfter(Rewind::Cause::kRightsLeft);
}

}  // namespace watchproof
