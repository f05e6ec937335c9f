// SPDX-License-Identifier: Apache-2.0
#include "harness/capture/open_watches.h"

#include <algorithm>
#include <utility>

namespace watchproof {
namespace {

Entry RequestOf(StreamId stream, std::string message) {
  return {.kind = EntryKind::kRequestSent,
          .stream = stream,
          .payload = Bytes::Take(std::move(message))};
}

}  // namespace

void OpenWatches::Consume(const Entry& entry) {
  switch (entry.kind) {
    case EntryKind::kCallStarted:
      calls_[entry.call.value] = entry;
      return;
    case EntryKind::kCallEnded:
      calls_.erase(entry.call.value);
      return;
    case EntryKind::kStreamOpened:
      streams_[entry.stream.value] = {.path = entry.text};
      break;
    case EntryKind::kStreamClosed:
      for (const WatchIndex watch : streams_[entry.stream.value].watches) End(watch);
      streams_.erase(entry.stream.value);
      return;
    default:
      break;
  }
  parser_->Consume({.line = Line(1), .entry = entry});
}

void OpenWatches::OnAsked(WatchIndex watch, const Asked& asked) {
  watches_.resize(watch.value + 1);
  Watch& mine = watches_[watch.value];
  mine.stream = asked.stream;
  streams_[asked.stream.value].watches.push_back(watch);
  mine.create = {.key = std::string(asked.request.key),
                 .range_end = std::string(asked.request.range_end),
                 .start = Revision(asked.request.start_revision),
                 .id = WatchId(asked.request.watch_id),
                 .options = asked.request};
}
void OpenWatches::OnCancelAsked(WatchIndex watch, Where) {
  watches_[watch.value].cancelling = true;
}
void OpenWatches::OnCreated(WatchIndex watch, const Response& response) {
  Watch& mine = watches_[watch.value];
  mine.answer = response.payload.view();
  mine.id = response.message.watch_id;
  mine.resume_at = mine.create.start.value > 0 ? mine.create.start
                                               : Revision(response.message.header.revision).next();
}
void OpenWatches::OnRefused(WatchIndex watch, const Response&) { End(watch); }
void OpenWatches::OnDelivered(WatchIndex watch, ResponsePtr& response) {
  Watch& mine = watches_[watch.value];
  if (mine.in_parts == response->last_part) {
    mine.in_parts = !response->last_part;
    in_parts_ += mine.in_parts ? 1 : -1;
  }
  mine.resume_at = std::max(mine.resume_at, response->highest.next());
}
void OpenWatches::OnProgress(WatchIndex watch, const Response& response) {
  Watch& mine = watches_[watch.value];
  const Revision revision(response.message.header.revision);
  mine.resume_at = std::max(mine.resume_at, revision.next());
}
void OpenWatches::OnCompacted(WatchIndex watch, const Response&) { End(watch); }
void OpenWatches::OnCancelled(WatchIndex watch, const Response&) { End(watch); }
void OpenWatches::OnProgressAsked(StreamId stream, Where /*where*/) {
  streams_[stream.value].progress_asked = true;
}

void OpenWatches::End(WatchIndex watch) {
  Watch& mine = watches_[watch.value];
  if (std::exchange(mine.in_parts, false)) --in_parts_;
  mine = {.stream = mine.stream, .open = false};
}

void OpenWatches::RestateWatch(const Watch& watch, std::vector<Entry>& out) const {
  WatchCreate create = watch.create;
  const bool answered = !watch.answer.empty();
  if (answered) create.start = watch.resume_at;
  out.push_back(RequestOf(watch.stream, CreateRequest(create).bytes()));
  if (!answered) return;
  out.push_back({.kind = EntryKind::kResponseReceived,
                 .stream = watch.stream,
                 .payload = Bytes::Copy(watch.answer)});
  if (!watch.cancelling) return;
  out.push_back(
      RequestOf(watch.stream, Message().Nested(2, Message().Optional(1, watch.id)).bytes()));
}

std::vector<Entry> OpenWatches::Restate(Duration at) {
  std::vector<Entry> out;
  for (const auto& [id, stream] : streams_) {
    out.push_back({.kind = EntryKind::kStreamOpened, .stream = StreamId(id), .text = stream.path});
    if (stream.progress_asked) {
      out.push_back(RequestOf(StreamId(id), Message().Nested(3, Message()).bytes()));
    }
    for (const bool answered : {true, false}) {
      for (const WatchIndex index : stream.watches) {
        const Watch& watch = watches_[index.value];
        if (watch.open && watch.answer.empty() != answered) RestateWatch(watch, out);
      }
    }
  }
  for (const auto& [id, call] : calls_) out.push_back(call);
  for (Entry& entry : out) entry.at = at;
  // From here on only what is open needs memory.
  parser_ = std::make_unique<HistoryParser>(*this);
  streams_.clear();
  watches_.clear();
  calls_.clear();
  in_parts_ = 0;
  for (const Entry& entry : out) Consume(entry);
  return out;
}

}  // namespace watchproof
