// SPDX-License-Identifier: Apache-2.0
#include "harness/session/overlap_table.h"

#include <algorithm>

namespace watchproof {
namespace {

void Include(Line line, Overlap& overlap) {
  overlap.last_line = std::max(overlap.last_line, line.value);
  if (overlap.first_line == 0 || line.value < overlap.first_line) overlap.first_line = line.value;
}

}  // namespace

void OverlapTable::Consume(const NumberedEntry& line) {
  const Entry& entry = line.entry;
  if (entry.kind == EntryKind::kResponseReceived) {
    arrivals_.push_back({line.line, entry.at});
  } else if (entry.kind == EntryKind::kCallStarted) {
    places_[entry.call.value] = calls_.size();
    calls_.push_back({.began = line.line, .ended = {}, .from = entry.at, .to = {}});
  } else if (entry.kind == EntryKind::kCallEnded) {
    const auto place = places_.extract(entry.call.value);
    if (place.empty()) return;
    Call& call = calls_[place.mapped()];
    call.ended = line.line;
    call.to = entry.at;
    // A rejection is an answer, too; these are not.
    call.answered = entry.code != StatusCode::kUnavailable &&
                    entry.code != StatusCode::kDeadlineExceeded &&
                    entry.code != StatusCode::kCancelled && entry.code != StatusCode::kUnknown;
  }
}

Overlap OverlapTable::Between(Duration from, Duration to) const {
  Overlap overlap;
  for (const Call& call : calls_) {
    const bool out = call.ended.value == 0;
    if (call.from > to || (!out && call.to < from)) continue;
    ++overlap.calls;
    if (!out && !call.answered) ++overlap.lost;
    Include(call.began, overlap);
    if (!out) Include(call.ended, overlap);
  }
  for (const Arrival& arrival : arrivals_) {
    if (arrival.at < from || arrival.at > to) continue;
    ++overlap.responses;
    Include(arrival.line, overlap);
  }
  return overlap;
}

}  // namespace watchproof
