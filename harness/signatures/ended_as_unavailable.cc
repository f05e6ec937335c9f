// SPDX-License-Identifier: Apache-2.0
// ended-as-unavailable (etcd #12196): a stream that its client closed counts as ended for want of a
// leader.
#include "harness/signatures/signature.h"

namespace watchproof {

WP_SIGNATURE(EndedAsUnavailable, "ended-as-unavailable") {
  return one.Says(" watch streams that ended as Unavailable, ");
}

}  // namespace watchproof
