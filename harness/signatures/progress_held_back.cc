// SPDX-License-Identifier: Apache-2.0
// progress-held-back: a watch of the stream has ended with ErrCompacted, and as long as the client
// does not cancel it no progress request is answered.
#include "harness/signatures/signature.h"

namespace watchproof {

WP_SIGNATURE(ProgressHeldBack, "progress-held-back") {
  const auto* const due = one.As<symptom::NoProgress>();
  return due != nullptr && due->requested &&
         std::ranges::any_of(one.facts.table.On(due->stream), [&one](WatchIndex watch) {
           return one.facts.state(watch).end == WatchEnd::kCompacted &&
                  !one.facts.details(watch).release_asked;
         });
}

}  // namespace watchproof
