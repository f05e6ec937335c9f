// SPDX-License-Identifier: Apache-2.0
// id-of-minus-one: a watch has the id -1, which responses for the whole stream carry, too.
#include "harness/signatures/signature.h"

namespace watchproof {

WP_SIGNATURE(IdOfMinusOne, "id-of-minus-one") {
  return std::ranges::any_of(one.draft.evidence,
                             [&one](Line line) { return one.traces.MeansEither(line); });
}

// What comes for it waits for ever: the refusal of another create has ended it for the store, or
// its end has come, which does not wait for its created response.
WP_SIGNATURE(EndedUnseen, "id-of-minus-one") {
  if (!one.draft.lost) return false;
  const Facts& facts = one.facts;
  const WatchIndex watch = one.draft.lost->watch;
  if (facts.state(watch).id != WatchId(-1)) return false;
  const WatchDetails& own = facts.details(watch);
  if (own.created &&
      one.traces.NoticeForEither(facts.state(watch).stream, own.asked.line, own.created->line)) {
    return true;
  }
  return std::ranges::any_of(facts.table.On(facts.state(watch).stream), [&](WatchIndex other) {
    return facts.state(other).end == WatchEnd::kRefused &&
           facts.details(watch).asked.line < facts.details(other).ended->line;
  });
}

WP_SIGNATURE(PassedOverByNamesake, "id-of-minus-one") {
  return one.PassedOver(Passing::kSharedId) || one.NoticeAfter(Passing::kSharedId);
}

}  // namespace watchproof
