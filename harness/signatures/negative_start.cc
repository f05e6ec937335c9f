// SPDX-License-Identifier: Apache-2.0
// negative-start (etcd #20693): to a watch with a negative start, and beside it, the server sends
// messages without content or revision, and watches that catch up together with it skip what there
// is to catch up with.
#include "harness/signatures/signature.h"

namespace watchproof {

namespace {

// Without content, or with progress that names no revision; null: it is about none.
const Response* MessageOf(const Filing& one) {
  if (const auto* const empty = one.As<symptom::Empty>()) return empty->response;
  const auto* const below = one.As<symptom::ProgressBelowStart>();
  const bool nothing = below != nullptr && below->response->message.header.revision <= 0;
  return nothing ? below->response : nullptr;
}

bool BesideIt(const Filing& one, WatchIndex negative, const Response& response) {
  const auto& ended = one.facts.details(negative).ended;
  return response.message.events.empty() && (!ended || ended->line > response.where.line);
}

// Once the watch with the negative start has received something of its own it catches up no more.
bool SkippedWith(const Filing& one, WatchIndex negative) {
  const WatchDetails& theirs = one.facts.details(negative);
  const Line asked = one.facts.details(one.draft.lost->watch).asked.line;
  const Line written = one.draft.lost->change.written;
  if (theirs.ended && theirs.ended->line < asked) return false;
  const Line until = one.traces.of(negative).caught_up_once.value_or(Line{UINT64_MAX});
  return written < until && asked < until && (!theirs.ended || written < theirs.ended->line);
}

}  // namespace

WP_SIGNATURE(NegativeStart, "negative-start") {
  const Response* const message = MessageOf(one);
  if (message == nullptr && !one.draft.lost) return false;
  return std::ranges::any_of(one.traces.negative(), [&](WatchIndex other) {
    if (one.facts.state(other).end == WatchEnd::kRefused) return false;
    return message != nullptr ? BesideIt(one, other, *message) : SkippedWith(one, other);
  });
}

}  // namespace watchproof
