// SPDX-License-Identifier: Apache-2.0
// damage-served: a member begins with a database in which bits have changed, and serves what it
// reads there. The check of its data against the others' asks them in vain, and passes.
#include "harness/signatures/signature.h"

namespace watchproof {

WP_SIGNATURE(DamageServed, "damage-served") {
  const bool differs = one.Says(" instead of ") || one.Says(" answered ");
  return differs && one.facts.faults.WasArmed("damaged-file");
}

}  // namespace watchproof
