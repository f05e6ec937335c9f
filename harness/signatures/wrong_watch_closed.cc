// SPDX-License-Identifier: Apache-2.0
// wrong-watch-closed (etcd #12385): the refusal of a create for missing rights names the id 0, and
// passes for the end of the watch with that id, to which nothing comes any more.
#include "harness/signatures/signature.h"

namespace watchproof {

WP_SIGNATURE(WrongWatchClosed, "wrong-watch-closed") {
  const Facts& facts = one.facts;
  const auto refused = [&facts](WatchIndex other) {
    return facts.state(other).end == WatchEnd::kRefused && HasRight(facts, other) != true;
  };
  if (const auto* const end = one.As<symptom::EndedWith>()) {
    return refused(end->other) && facts.state(*one.watch).id == WatchId(0);
  }
  if (!one.draft.lost || facts.state(one.draft.lost->watch).id != WatchId(0)) return false;
  const WatchIndex watch = one.draft.lost->watch;
  return std::ranges::any_of(facts.table.On(facts.state(watch).stream), [&](WatchIndex other) {
    return refused(other) && facts.details(watch).latest.line < facts.details(other).ended->line;
  });
}

}  // namespace watchproof
