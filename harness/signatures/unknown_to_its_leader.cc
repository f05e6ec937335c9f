// SPDX-License-Identifier: Apache-2.0
// unknown-to-its-leader: a member that was sent a snapshot which is ahead of its index lists one
// that was added in between, and leaves it out of those that it sends entries to as the leader.
#include "harness/signatures/signature.h"

namespace watchproof {

WP_SIGNATURE(UnknownToItsLeader, "unknown-to-its-leader") {
  return one.Says("promoting member ") && one.Says("etcdserver: member not found") &&
         one.facts.faults.MembersParted({});
}

}  // namespace watchproof
