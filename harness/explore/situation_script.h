// SPDX-License-Identifier: Apache-2.0
// A script that leads to a situation: the two watches get into their phases, the client stalls or
// does not, and what is to happen meanwhile is the last step.
//
//   Script script = ScriptFor({.watch = WatchPhase::kBehind, .stalled = true}, prng);
//
// Under virtual time it always gets there. On a real server, some phases pass by themselves: a
// client that reads is not behind for long. Threads: a pure function of its arguments.
#pragma once

#include "harness/base/prng.h"
#include "harness/explore/script.h"
#include "harness/explore/situation.h"

namespace watchproof::explore {

// Requires: the model of situations allows it.
Script ScriptFor(const Situation& wanted, Prng& prng);

}  // namespace watchproof::explore
