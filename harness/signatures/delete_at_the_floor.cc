// SPDX-License-Identifier: Apache-2.0
// delete-at-the-floor (etcd #18089): the delete at exactly the revision to which the store was
// compacted is lost.
#include "harness/signatures/signature.h"

namespace watchproof {

namespace {

// That the watch expected, and one of which may be what is missing.
std::uint32_t DeletesAtTheFloor(const Filing& one, Revision revision) {
  if (!one.facts.model.calls().CompactionAsked(revision)) return 0;
  const ExpectedList& expected = *one.facts.comparer.expected(*one.watch);
  std::uint32_t deleted = 0;
  for (std::uint32_t i = expected.LowerBound(revision);
       i < expected.size() && expected[i].revision == revision; ++i) {
    if (one.facts.comparer.change(expected[i]).deleted) ++deleted;
  }
  return deleted;
}

// The change may have waited for the watch in the history of the store.
bool WaitedInHistory(const Filing& one, const Loss& lost) {
  const WatchDetails& details = one.facts.details(lost.watch);
  const bool later = !details.created || details.created->line > lost.change.written;
  const bool history =
      details.requested_start > 0 && Revision(details.requested_start) <= details.known_when_asked;
  return later || history || !one.facts.faults.QuietSince({}) ||
         one.traces.QueueMayHaveBeenFull(lost.watch, lost.change.revision, lost.received);
}

}  // namespace

WP_SIGNATURE(DeleteAtTheFloor, "delete-at-the-floor") {
  if (const auto* const changes = one.As<symptom::OfRevision>()) {
    return changes->missing > 0 && DeletesAtTheFloor(one, changes->revision) >= changes->missing;
  }
  const Loss* const lost = one.LostAtTheFloor();
  return lost != nullptr && lost->change.deleted && WaitedInHistory(one, *lost);
}

}  // namespace watchproof
