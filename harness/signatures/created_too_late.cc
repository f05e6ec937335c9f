// SPDX-License-Identifier: Apache-2.0
// created-too-late: what is written while a watch from now on is being made is delivered to it, but
// the header of its created response is of later. What the server of its stream had reached before
// it was asked is not written meanwhile; nor is what any server had reached, unless it may lag: of
// several members each does for a moment, and for longer after a fault.
#include <algorithm>

#include "harness/signatures/signature.h"

namespace watchproof {

WP_SIGNATURE(CreatedTooLate, "created-too-late") {
  const auto* const below = one.As<symptom::BelowStart>();
  if (below == nullptr) return false;
  const WatchDetails& details = one.facts.details(*one.watch);
  const WatchTraces& traces = one.traces.of(*one.watch);
  Revision known = details.known_when_asked;
  if (one.facts.options.members > 1) {
    const bool lags = one.facts.faults.MayLag(details.asked.at);
    known = lags ? Revision() : traces.everywhere_when_asked;
  }
  known = std::max(known, traces.stream_at_when_asked);
  return details.requested_start == 0 && below->revision > known && !traces.created_beyond_writes;
}

}  // namespace watchproof
