// SPDX-License-Identifier: Apache-2.0
#include "harness/model/control_log.h"

#include <algorithm>

namespace watchproof {

void ControlLog::Consume(const NumberedEntry& line) {
  const Entry& entry = line.entry;
  if (entry.kind == EntryKind::kStreamOpened && entry.text == "control") {
    streams_[entry.stream.value] = {};
    return;
  }
  if (entry.kind != EntryKind::kRequestSent && entry.kind != EntryKind::kResponseReceived) return;
  const auto stream = streams_.find(entry.stream.value);
  if (stream == streams_.end()) return;
  if (entry.kind == EntryKind::kRequestSent) return Request(stream->second, entry);
  Respond(stream->second, line);
}

// Only the first watch of a stream: absent events count as evidence only with a known start and one
// order.
void ControlLog::Request(Stream& stream, const Entry& entry) {
  WatchRequestView request;
  const bool create = Parse(entry.payload.view(), request).ok() &&
                      request.kind == WatchRequestKind::kCreate && stream.start.value == 0;
  if (!create || request.create.start_revision <= 0) return;
  stream.range = KeyRange(request.create.key, request.create.range_end);
  stream.everything = !request.create.no_put && !request.create.no_delete;
  stream.start = Revision(request.create.start_revision);
}

void ControlLog::Respond(Stream& stream, const NumberedEntry& line) {
  const Entry& entry = line.entry;
  if (!Parse(entry.payload.view(), entry.tail.view(), response_).ok()) return;
  if (response_.events.empty()) return;
  owners_.push_back(entry.payload);
  if (entry.tail.size() > 0) owners_.push_back(entry.tail);
  for (const EventView& event : response_.events) {
    const Revision revision(event.kv.mod_revision);
    reported_[revision].push_back({.deleted = event.type == 1, .kv = event.kv, .line = line.line});
    stream.latest = std::max(stream.latest, revision);
  }
}

std::optional<Revision> ControlLog::CoveredSince(const KeyRange& range, Revision first,
                                                 Revision last) const {
  for (const auto& [id, stream] : streams_) {
    if (!stream.everything || stream.start.value == 0 || stream.start > first) continue;
    if (last < stream.latest && stream.range.ContainsAll(range)) return stream.start;
  }
  return std::nullopt;
}

}  // namespace watchproof
