// SPDX-License-Identifier: Apache-2.0
// refuses-after-snapshot: a member that was sent a snapshot counts what is in it as not applied
// until the next entry of the log, and refuses writes as if it were overloaded: those of clients,
// and as it starts its own, so that it does not serve.
#include "harness/signatures/signature.h"

namespace watchproof {

WP_SIGNATURE(RefusesAfterSnapshot, "refuses-after-snapshot") {
  return one.Says("etcdserver: too many requests") && one.facts.faults.MembersParted({});
}

}  // namespace watchproof
