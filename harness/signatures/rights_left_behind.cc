// SPDX-License-Identifier: Apache-2.0
// rights-left-behind (etcd #14571): a member that was sent a snapshot goes on with the rights from
// before, refuses for itself what the others carry out, and has other data from there on.
#include "harness/signatures/signature.h"

namespace watchproof {

WP_SIGNATURE(RightsLeftBehind, "rights-left-behind") {
  const bool lacks_what_it_refused = one.CountsLess() && one.traces.rights_changed();
  return lacks_what_it_refused || one.LostAfter(Rewind::Cause::kRightsLeft);
}

}  // namespace watchproof
