// SPDX-License-Identifier: Apache-2.0
// A script of one server over the members of a cluster: it writes here, watches there, and goes on
// at another member; and some scripts disturb the cluster while they do so.
//
//   SpreadOver(script, 3, prng.Chance(0.2), prng);
//
// Threads: functions without state.
#pragma once

#include "harness/base/prng.h"
#include "harness/script/script.h"

namespace watchproof::explore {

// Requires: at least three members, so that most of them are never apart.
void SpreadOver(Script& script, int members, bool disturbs, Prng& prng);

}  // namespace watchproof::explore
