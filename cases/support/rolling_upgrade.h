// SPDX-License-Identifier: Apache-2.0
// The plan of a case on a cluster that is upgraded meanwhile.
//
//   plan = WithUpgrade(std::move(plan), target.next);
//
// The members other than the first are restarted as that release between two steps of the plan,
// where no fault is armed; the first one, which clients use, after the last step. While a member is
// down, other keys are written, and watched. Then the watches that are still open are resumed on
// the second member, and must receive what was written. Each restart is a fault with a receipt: if
// the new process does not report the release, the attempt is inconclusive. A case that has a
// cluster of its own may use every member at any time, so all are upgraded after its last step;
// one that restarts all of them does it as that release. After the last step also where leases
// would end meanwhile. Releases after the first one follow in the same way, at the end, when every
// member has taken over the release before. Before a downgrade the cluster is asked to permit it,
// and every member must have given its storage the older version. Threads: a pure function.
#pragma once

#include <vector>

#include "harness/scenario/plan.h"
#include "harness/targets/target_spec.h"

namespace watchproof {

// Requires: there is at least one.
Plan WithUpgrade(Plan plan, const std::vector<NextRelease>& releases);

// Before members become the release: a downgrade is asked for, and awaited on each member.
std::vector<Step> PermitRelease(const NextRelease& next, int members);

}  // namespace watchproof
