// SPDX-License-Identifier: Apache-2.0
#include "harness/history/history_parser.h"

#include <fmt/format.h>

#include <utility>

namespace watchproof {
namespace {

constexpr std::string_view kControl = "control";

}  // namespace

struct HistoryParser::Stream {
  // Watches by id: servers count from 0, so an index will do; ids that clients chose large are
  // hashed.
  static constexpr std::int64_t kDenseIds = 1 << 16;

  StreamId id;
  bool control = false;
  bool closing = false;              // by the client
  std::vector<WatchIndex> asked;     // by ordinal
  std::vector<std::int64_t> chosen;  // the id that the client asked for, or 0; by ordinal
  std::size_t answered = 0;          // creates are answered in order
  // Cancels that came while creates were not answered yet: only the answers show which watch had
  // that id when the server read the cancel.
  struct EarlyCancel {
    std::int64_t id = 0;
    std::size_t creates = 0;  // asked for before
    Where where;
  };
  std::vector<EarlyCancel> early_cancels;
  std::vector<std::uint32_t> dense;  // watch index + 1, by id
  std::unordered_map<std::int64_t, WatchIndex> sparse;

  void Name(std::int64_t watch_id, WatchIndex watch) {
    if (watch_id < 0 || watch_id >= kDenseIds) {
      sparse.insert_or_assign(watch_id, watch);
      return;
    }
    const auto at = static_cast<std::size_t>(watch_id);
    if (dense.size() <= at) dense.resize(at + 1);
    dense[at] = watch.value + 1;
  }
  std::optional<WatchIndex> Find(std::int64_t watch_id) const {
    const auto at = static_cast<std::size_t>(watch_id);
    if (watch_id >= 0 && watch_id < kDenseIds) {
      if (at >= dense.size() || dense[at] == 0) return std::nullopt;
      return WatchIndex(dense[at] - 1);
    }
    const auto found = sparse.find(watch_id);
    if (found == sparse.end()) return std::nullopt;
    return found->second;
  }
};

HistoryParser::HistoryParser(HistoryVisitor& visitor) : visitor_(visitor) {}
HistoryParser::~HistoryParser() = default;

void HistoryParser::Consume(const NumberedEntry& line) {
  switch (line.entry.kind) {
    case EntryKind::kStreamOpened:
      StreamOf(line.entry.stream).control = line.entry.text == kControl;
      return;
    case EntryKind::kRequestSent:
      return ParseRequest(line);
    case EntryKind::kResponseReceived:
      return ParseResponse(line);
    case EntryKind::kStreamClosed:
      return ParseStreamClosed(line);
    case EntryKind::kAnnotation:
      return ParseAnnotationLine(line);
    default:
      return;
  }
}

void HistoryParser::Return(ResponsePtr response) { pool_.push_back(std::move(response)); }

ResponsePtr HistoryParser::TakePooled() {
  if (pool_.empty()) return std::make_unique<Response>();
  ResponsePtr response = std::move(pool_.back());
  pool_.pop_back();
  return response;
}

HistoryParser::Stream& HistoryParser::StreamOf(StreamId id) {
  if (latest_ != nullptr && latest_->id == id) return *latest_;
  std::unique_ptr<Stream>& stream = streams_[id.value];
  if (stream == nullptr) {
    stream = std::make_unique<Stream>();
    stream->id = id;
  }
  latest_ = stream.get();
  return *latest_;
}

// Requests are handled in order, so a cancel means the latest create before it, answered or not;
// but one that asks for the id of an open watch will be refused.
std::optional<WatchIndex> HistoryParser::FindForCancel(const Stream& stream,
                                                       std::int64_t id) const {
  const auto named = stream.Find(id);
  if (named && !parsed_[named->value].ended && parsed_[named->value].cancels == 0) return named;
  for (std::size_t i = stream.asked.size(); i > stream.answered; --i) {
    if (id != 0 && stream.chosen[i - 1] == id) return stream.asked[i - 1];
  }
  return named;
}

void HistoryParser::ParseRequest(const NumberedEntry& line) {
  Stream& stream = StreamOf(line.entry.stream);
  const Where where{line.line, line.entry.at};
  WatchRequestView request;
  if (Status status = Parse(line.entry.payload.view(), request); !status.ok()) {
    return visitor_.OnUnreadable(where, status);
  }
  if (stream.control) {
    if (request.kind != WatchRequestKind::kCreate) return;
    return visitor_.OnControlAsked({where, stream.id, 0, request.create});
  }
  if (request.kind == WatchRequestKind::kCreate) {
    const WatchIndex watch(static_cast<std::uint32_t>(parsed_.size()));
    parsed_.emplace_back();
    const auto ordinal = static_cast<std::uint32_t>(stream.asked.size());
    stream.asked.push_back(watch);
    stream.chosen.push_back(request.create.watch_id);
    visitor_.OnAsked(watch, {where, stream.id, ordinal, request.create});
  } else if (request.kind == WatchRequestKind::kCancel) {
    const auto watch = FindForCancel(stream, request.cancel_id);
    if (stream.answered < stream.asked.size()) {
      stream.early_cancels.push_back({request.cancel_id, stream.asked.size(), where});
    }
    if (!watch) return;  // etcd does not answer it either
    ++parsed_[watch->value].cancels;
    visitor_.OnCancelAsked(*watch, where);
  } else if (request.kind == WatchRequestKind::kProgress) {
    visitor_.OnProgressAsked(stream.id, where);
  }
}

void HistoryParser::ParseResponse(const NumberedEntry& line) {
  Stream& stream = StreamOf(line.entry.stream);
  ResponsePtr response = TakePooled();
  response->where = {line.line, line.entry.at};
  response->stream = stream.id;
  response->payload = line.entry.payload;
  response->tail = line.entry.tail;
  const WatchResponseView& message = response->message;
  if (Status status = Parse(response->payload.view(), response->tail.view(), response->message);
      !status.ok()) {
    visitor_.OnGarbled(stream.id, response->where, status);
    return Return(std::move(response));
  }
  visitor_.OnHeader(Revision(message.header.revision), stream.control);
  if (stream.control) {
    if (!message.events.empty()) {
      visitor_.OnControlEvents(*response);
    } else if (!message.created && !message.canceled) {
      visitor_.OnControlProgress(*response);
    }
    if (message.canceled) visitor_.OnControlEnded(*response);
    return Return(std::move(response));
  }
  if (message.created) {
    VisitCreated(stream, *response);
  } else if (message.watch_id == kWholeStream && message.events.empty() && !message.canceled) {
    VisitStreamProgress(stream, *response);
  } else if (const auto watch = stream.Find(message.watch_id); !watch) {
    visitor_.OnStray(*response);
  } else if (!message.events.empty()) {
    VisitEvents(*watch, response);
  } else if (message.canceled) {
    VisitCanceled(*watch, *response);
  } else if (parsed_[watch->value].ended) {
    visitor_.OnAfterwards(*watch, *response);
  } else {
    visitor_.OnProgress(*watch, *response);
  }
  if (response != nullptr) Return(std::move(response));
}

// The i-th created reply answers the i-th create, because etcd handles the requests of a stream in
// order. A refusal carries the id -1, or in some releases the id that was asked for: the id means
// nothing then.
void HistoryParser::VisitCreated(Stream& stream, const Response& response) {
  if (stream.answered == stream.asked.size()) return visitor_.OnStray(response);
  const WatchIndex watch = stream.asked[stream.answered++];
  Parsed& parsed = parsed_[watch.value];
  // Cancels of the id that came after this create meant the watch.
  const auto settle_early_cancels = [&](std::int64_t id, WatchIndex meant) {
    for (const Stream::EarlyCancel& cancel : stream.early_cancels) {
      Parsed& of = parsed_[meant.value];
      if (cancel.id != id || cancel.creates < stream.answered || of.cancels > 0) continue;
      ++of.cancels;
      visitor_.OnCancelAsked(meant, cancel.where);
    }
    if (stream.answered == stream.asked.size()) stream.early_cancels.clear();
  };
  const bool compacted = response.message.compact_revision > 0;
  if (response.message.canceled && !compacted) {
    parsed.ended = true;
    visitor_.OnRefused(watch, response);
    // Its id belongs to another watch.
    const std::int64_t id = stream.chosen[stream.answered - 1];
    const auto other = id == 0 ? std::nullopt : stream.Find(id);
    if (other) settle_early_cancels(id, *other);
    return;
  }
  parsed.created = true;
  stream.Name(response.message.watch_id, watch);
  visitor_.OnCreated(watch, response);
  settle_early_cancels(response.message.watch_id, watch);
  if (compacted) VisitCanceled(watch, response);
}

// Covers the watches that have been announced: etcd holds back what belongs to others, but not
// this.
void HistoryParser::VisitStreamProgress(const Stream& stream, const Response& response) {
  visitor_.OnStreamProgress(stream.id);
  for (std::size_t i = 0; i < stream.answered; ++i) {
    const WatchIndex watch = stream.asked[i];
    if (!parsed_[watch.value].ended) visitor_.OnProgress(watch, response);
  }
}

void HistoryParser::VisitCanceled(WatchIndex watch, const Response& response) {
  Parsed& parsed = parsed_[watch.value];
  const bool compacted = response.message.compact_revision > 0;
  if (!parsed.ended) {
    parsed.ended = true;
    if (compacted) return visitor_.OnCompacted(watch, response);
    visitor_.OnCancelled(watch, response);
    if (parsed.cancels > 0) --parsed.cancels;
    return;
  }
  // A cancel that crossed the end of its watch is still answered.
  if (!compacted && parsed.cancels > 0) {
    --parsed.cancels;
    return;
  }
  visitor_.OnAfterwards(watch, response);
}

void HistoryParser::VisitEvents(WatchIndex watch, ResponsePtr& response) {
  Parsed& parsed = parsed_[watch.value];
  const bool canceled = response->message.canceled;
  if (parsed.ended) return visitor_.OnAfterwards(watch, *response);
  if (!parsed.mid_fragment) ++parsed.group;
  parsed.mid_fragment = response->message.fragment;
  response->group = parsed.group;
  response->last_part = !response->message.fragment;
  std::int64_t highest = 0;
  for (const EventView& event : response->message.events) {
    highest = std::max(highest, event.kv.mod_revision);
  }
  response->highest = Revision(highest);
  if (canceled) {
    // etcd does not send such a message, but it has both meanings.
    Response end = *response;
    end.message.events.clear();
    visitor_.OnDelivered(watch, response);
    return VisitCanceled(watch, end);
  }
  visitor_.OnDelivered(watch, response);
}

void HistoryParser::ParseStreamClosed(const NumberedEntry& line) {
  const Stream& stream = StreamOf(line.entry.stream);
  const StreamEnd end{.where = {line.line, line.entry.at},
                      .stream = stream.id,
                      .intended = stream.closing,
                      .code = line.entry.code,
                      .text = line.entry.text};
  visitor_.OnStreamClosed(end);
  for (const WatchIndex watch : stream.asked) {
    Parsed& parsed = parsed_[watch.value];
    if (std::exchange(parsed.ended, true)) continue;
    visitor_.OnStreamEnded(watch, end);
  }
}

void HistoryParser::ParseAnnotationLine(const NumberedEntry& line) {
  const Where where{line.line, line.entry.at};
  const auto annotation = ParseAnnotation(line.entry.text);
  if (!annotation.has_value()) return visitor_.OnUnreadable(where, annotation.error());
  if (const auto* closing = std::get_if<ClosingStream>(&*annotation)) {
    StreamOf(closing->stream).closing = true;
  }
  visitor_.OnAnnotation(*annotation, where);
}

}  // namespace watchproof
