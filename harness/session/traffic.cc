// SPDX-License-Identifier: Apache-2.0
#include "harness/session/traffic.h"

#include <algorithm>

#include "harness/environment/environment.h"

namespace watchproof {
namespace {

void Include(Line line, Overlap& overlap) {
  overlap.last_line = std::max(overlap.last_line, line.value);
  if (overlap.first_line == 0 || line.value < overlap.first_line) overlap.first_line = line.value;
}

}  // namespace

void StreamTraffic::Consume(const Entry& entry) {
  if (entry.kind == EntryKind::kStreamClosed) ended_.insert(entry.stream);
  if (entry.kind == EntryKind::kStreamOpened) {
    if (entry.text == Name(Path::kProxied)) arrived_[entry.stream];
    return;
  }
  const auto stream = arrived_.find(entry.stream);
  if (stream == arrived_.end()) return;
  if (entry.kind == EntryKind::kResponseReceived) {
    last_arrival_ = entry.at;
    ++stream->second.responses;
    stream->second.bytes +=
        static_cast<std::int64_t>(entry.payload.view().size() + entry.tail.view().size());
  } else if (entry.kind == EntryKind::kStreamClosed) {
    ++closed_;
    last_closed_ = entry.at;
  }
}

StreamTraffic::Arrived StreamTraffic::ArrivedAt(StreamId stream) const {
  const auto found = arrived_.find(stream);
  return found == arrived_.end() ? Arrived() : found->second;
}

std::vector<std::int64_t> StreamTraffic::BytesArrived() const {
  std::vector<std::int64_t> bytes;
  for (const auto& [stream, arrived] : arrived_) bytes.push_back(arrived.bytes);
  return bytes;
}

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
