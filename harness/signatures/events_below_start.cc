// SPDX-License-Identifier: Apache-2.0
// events-below-start (etcd #15271): a watch of the future, asked for at a member that was behind
// and then was sent a snapshot, receives what is below its start.
#include "harness/signatures/signature.h"

namespace watchproof {

WP_SIGNATURE(EventsBelowStart, "events-below-start") {
  if (one.As<symptom::BelowStart>() == nullptr) return false;
  // That the former watch of the id waited for it is known; this would be a guess.
  if (one.RestsOn(&WatchTraces::former_events)) return false;
  const WatchDetails& details = one.facts.details(*one.watch);
  return Revision(details.requested_start) > details.header_when_created &&
         one.facts.faults.MembersParted({});
}

}  // namespace watchproof
