// SPDX-License-Identifier: Apache-2.0
// created-too-late: what is written while a watch from now on is being made is delivered to it, but
// the header of its created response is of later.
#include "harness/signatures/signature.h"

namespace watchproof {

WP_SIGNATURE(CreatedTooLate, "created-too-late") {
  const auto* const below = one.As<symptom::BelowStart>();
  if (below == nullptr) return false;
  const WatchDetails& details = one.facts.details(*one.watch);
  return details.requested_start == 0 && below->revision > details.known_when_asked &&
         !one.traces.of(*one.watch).created_beyond_writes;
}

}  // namespace watchproof
