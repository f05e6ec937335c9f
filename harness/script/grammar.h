// SPDX-License-Identifier: Apache-2.0
// Draws scripts over the whole API, with few keys, ids and streams so that things meet, and changes
// scripts that reached something new.
//
//   Script script = Draw(prng);
//   Script next = Mutate(script, prng);   Script both = Splice(a, b, prng);
//   Call call = DrawCall(prng);                 // of one client of a load
//
// The same seed gives the same script. Threads: pure functions of their arguments.
#pragma once

#include <variant>

#include "harness/base/prng.h"
#include "harness/script/script.h"

namespace watchproof::explore {

// The limits, a population of watches drawn on purpose (live, behind, future, compacted, refused,
// cancelled, filtered, fragmented), and a body of any steps.
Script Draw(Prng& prng);
// One of some small changes: steps left out, repeated, moved, drawn anew, or other limits.
Script Mutate(const Script& script, Prng& prng);
// A beginning of one, then an end of the other.
Script Splice(const Script& begin, const Script& end, Prng& prng);

// A write of any kind, alone or a transaction, with any of its options.
Step DrawWrite(Prng& prng);

// A call about keys, with any of its options.
using Call = std::variant<Put, Delete, Txn, Get>;
Call DrawCall(Prng& prng);

}  // namespace watchproof::explore
