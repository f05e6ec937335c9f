// SPDX-License-Identifier: Apache-2.0
// answers-out-of-order: creates that wait together are answered in another order than they were
// sent, so that their watches have swapped ids. A guess, which explains only what nothing else
// does.
#include "harness/signatures/signature.h"

namespace watchproof {

namespace {

// Both creates waited together on one stream, and the key is in the range of the other.
bool MeantForAnother(const Filing& one, std::string_view key) {
  const WatchDetails& mine = one.facts.details(*one.watch);
  if (!mine.created) return false;
  const StreamId stream = one.facts.state(*one.watch).stream;
  return std::ranges::any_of(one.facts.table.On(stream), [&](WatchIndex other) {
    const WatchDetails& theirs = one.facts.details(other);
    const bool waits = !theirs.created || theirs.created->line > mine.asked.line;
    return other != *one.watch && theirs.range.range.Contains(key) && waits &&
           theirs.asked.line < mine.created->line;
  });
}

// The number of creates that wait for their answers on the stream.
bool ChosenByAnother(const Filing& one, std::int64_t id) {
  const StreamId stream = one.facts.state(*one.watch).stream;
  return std::ranges::any_of(one.facts.table.On(stream), [&](WatchIndex other) {
    const WatchDetails& theirs = one.facts.details(other);
    return other != *one.watch && theirs.requested_id == id && !theirs.created;
  });
}

}  // namespace

WP_SIGNATURE(AnswersOutOfOrder, "answers-out-of-order") {
  if (!one.watch) return false;
  const auto* const foreign = one.As<symptom::ForeignKey>();
  const auto* const other = one.As<symptom::OtherId>();
  return one.traces.of(*one.watch).crossed ||
         (foreign != nullptr && MeantForAnother(one, foreign->key)) ||
         (other != nullptr && ChosenByAnother(one, other->id));
}

}  // namespace watchproof
