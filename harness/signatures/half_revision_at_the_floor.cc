// SPDX-License-Identifier: Apache-2.0
// half-revision-at-the-floor: a key changed more than once in the revision to which the store was
// compacted, and only the last of the changes is left.
#include "harness/signatures/signature.h"

namespace watchproof {

namespace {

// The key of the lost change.
bool ChangedAgain(const Facts& facts, const Loss& lost) {
  const Revision revision = lost.change.revision;
  if (!facts.timeline().ChangesKeyTwice(revision)) return false;
  const ExpectedList* const expected = facts.comparer.expected(lost.watch);
  if (expected == nullptr || revision < facts.timeline().forgotten()) return true;
  int changes = 0;
  for (std::uint32_t i = expected->LowerBound(revision);
       i < expected->size() && (*expected)[i].revision == revision; ++i) {
    if (facts.comparer.change((*expected)[i]).key == lost.change.key) ++changes;
  }
  return changes > 1;
}

}  // namespace

WP_SIGNATURE(HalfRevisionAtTheFloor, "half-revision-at-the-floor") {
  if (const auto* const changes = one.As<symptom::OfRevision>()) {
    return one.facts.model.calls().CompactionAsked(changes->revision) &&
           one.facts.timeline().ChangesKeyTwice(changes->revision);
  }
  const Loss* const lost = one.LostAtTheFloor();
  return lost != nullptr && ChangedAgain(one.facts, *lost);
}

}  // namespace watchproof
