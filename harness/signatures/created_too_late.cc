// SPDX-License-Identifier: Apache-2.0
// created-too-late: what is written while a watch from now on is being made is delivered to it, but
// the header of its created response is of later. What the server of its stream had reached before
// it was asked is not written meanwhile; nor is what any server had reached, unless it may lag.
#include <algorithm>

#include "harness/signatures/signature.h"

namespace watchproof {

WP_SIGNATURE(CreatedTooLate, "created-too-late") {
  const auto* const below = one.As<symptom::BelowStart>();
  if (below == nullptr) return false;
  const WatchDetails& details = one.facts.details(*one.watch);
  const WatchTraces& traces = one.traces.of(*one.watch);
  const bool lags = one.facts.options.members > 1 && one.facts.faults.MayLag(details.asked.at);
  const Revision known =
      std::max(lags ? Revision() : details.known_when_asked, traces.stream_at_when_asked);
  return details.requested_start == 0 && below->revision > known && !traces.created_beyond_writes;
}

}  // namespace watchproof
