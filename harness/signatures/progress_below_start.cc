// SPDX-License-Identifier: Apache-2.0
// progress-below-start (etcd #20221): progress says where the store stood, below the start of a
// watch of the future.
#include "harness/signatures/signature.h"

namespace watchproof {

WP_SIGNATURE(ProgressBelowStart, "progress-below-start") {
  const auto* const below = one.As<symptom::ProgressBelowStart>();
  if (below == nullptr) return false;
  const WatchDetails& details = one.facts.details(*one.watch);
  return Revision(details.requested_start) > details.header_when_created &&
         Revision(below->response->message.header.revision) >= details.header_when_created;
}

}  // namespace watchproof
