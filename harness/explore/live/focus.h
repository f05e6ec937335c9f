// SPDX-License-Identifier: Apache-2.0
// What the scripts of one server have more of than others. One kind at a time: each takes as long
// as tens to hundreds of plain scripts, which are most of all.
//
//   const Focus focus = DrawFocus(prng);    // of a server
//   Lighten(script);                                 // one of the corpus: from any server
//   Enlarge(script, focus, prng);
//
// Threads: any, each with its own Prng.
#pragma once

#include "harness/base/prng.h"
#include "harness/script/script.h"

namespace watchproof::explore {

enum class Focus { kNone, kWatches, kWrites, kRestarts, kTime, kUsers, kQuiet };
// One of those that are drawn: kQuiet is not.
Focus DrawFocus(Prng& prng);

// Makes a plain script of one that comes from a server with a focus.
void Lighten(Script& script);
// What only a real server's own bounds make worth while: more watches than one pass takes or than a
// queue has room for, a client that stands still while as much arrives, restarts, leases that end,
// users with few rights, and many writes with nothing beside them.
void Enlarge(Script& script, Focus focus, Prng& prng);

}  // namespace watchproof::explore
