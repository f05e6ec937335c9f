// SPDX-License-Identifier: Apache-2.0
// silent-after-compaction (etcd #17529): ErrCompacted found no room in the full queue of the
// stream, and the watch goes on as if it had been sent all. In the middle of its history it may
// have received what is below the floor.
#include "harness/signatures/signature.h"

namespace watchproof {

WP_SIGNATURE(SilentAfterCompaction, "silent-after-compaction") {
  // That it was meant for the former watch of the id is known; this would be a guess.
  if (one.RestsOn(&WatchTraces::former_events)) return false;
  if (const auto* const silence = one.As<symptom::Silence>()) {
    return one.traces.QueueMayHaveBeenFull(*one.watch, Revision(), silence->received);
  }
  const auto& lost = one.draft.lost;
  if (!lost) return false;
  const bool middle = one.facts.state(lost->watch).events > 0;
  const bool compacted = lost->first < lost->compaction_requested ||
                         (middle && lost->first == lost->compaction_requested);
  return compacted &&
         one.traces.QueueMayHaveBeenFull(lost->watch, lost->first.previous(), lost->received);
}

}  // namespace watchproof
