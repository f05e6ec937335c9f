// SPDX-License-Identifier: Apache-2.0
// none-added-while-one-is-down (etcd #21640): no member is added while one is down, although the
// cluster has its majority, also with a new member that does not run.
#include "harness/signatures/signature.h"

namespace watchproof {

WP_SIGNATURE(NoneAddedWhileOneIsDown, "none-added-while-one-is-down") {
  return one.Says("adding member ") && one.Says("unhealthy cluster") &&
         one.facts.faults.MembersParted({});
}

}  // namespace watchproof
