// SPDX-License-Identifier: Apache-2.0
// forgotten-by-cancel: what waits when a watch is cancelled is sent without the previous values
// that it asked for, or with the options of the next watch of its id.
#include "harness/signatures/signature.h"

namespace watchproof {

WP_SIGNATURE(ForgottenByCancel, "forgotten-by-cancel") {
  const bool unasked = one.As<symptom::PreviousUnasked>() != nullptr;
  if (!unasked && one.As<symptom::NoPrevious>() == nullptr) return false;
  const Facts& facts = one.facts;
  const auto& cancel = facts.details(*one.watch).cancel_asked;
  const Line line = one.draft.where.line;
  if (!cancel || cancel->line >= line) return false;
  const WatchState& state = facts.state(*one.watch);
  return !unasked || std::ranges::any_of(facts.table.On(state.stream), [&](WatchIndex other) {
    const WatchDetails& next = facts.details(other);
    return next.previous_asked && next.asked.line > cancel->line && next.asked.line < line &&
           (next.requested_id == 0 || next.requested_id == state.id.value);
  });
}

}  // namespace watchproof
