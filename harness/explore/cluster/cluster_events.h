// SPDX-License-Identifier: Apache-2.0
// Which events of a plan meet: what covers a cluster's situations.
//
//   PairsOf(plan);                    // "pause leader + isolate follower", ...
//   PairsOf(plan, &in_effect);        // of the faults that took effect only
//
// An event is a fault with the role that its member has at the start, and with the calls to the
// disk that it is about; two meet when one begins while the other is active, or right after it has
// ended. So does a change of rights during a fault.
//
// Threads: pure functions.
#pragma once

#include <set>
#include <string>

#include "harness/scenario/plan.h"

namespace watchproof {

std::set<std::string> PairsOf(const Plan& plan, const std::set<std::string>* in_effect = nullptr);

}  // namespace watchproof
