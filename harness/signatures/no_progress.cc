// SPDX-License-Identifier: Apache-2.0
// no-progress (etcd #17507): a progress request that came before a watch of the stream had caught
// up is forgotten. Periodic progress has its own way.
#include "harness/signatures/signature.h"

namespace watchproof {

WP_SIGNATURE(NoProgress, "no-progress") {
  const auto* const due = one.As<symptom::NoProgress>();
  return due != nullptr && due->requested &&
         std::ranges::any_of(one.facts.table.On(due->stream), [&one](WatchIndex watch) {
           return one.traces.of(watch).progress_asked_behind;
         });
}

}  // namespace watchproof
