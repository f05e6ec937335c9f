// SPDX-License-Identifier: Apache-2.0
// unknown-to-its-leader: a leader that was killed sends a snapshot which is ahead of its index. The
// member that receives it lists one that was added in between, and leaves it out of those that it
// sends entries to once it leads.
#include "harness/signatures/signature.h"

namespace watchproof {

WP_SIGNATURE(UnknownToItsLeader, "unknown-to-its-leader") {
  return one.Says("promoting member ") && one.Says("etcdserver: member not found") &&
         one.facts.faults.LatestCrash(one.facts.latest.line).value > 0;
}

}  // namespace watchproof
