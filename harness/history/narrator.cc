// SPDX-License-Identifier: Apache-2.0
#include "harness/history/narrator.h"

#include <fmt/format.h>

#include <utility>

namespace watchproof {
namespace {

constexpr std::string_view kWitness = "witness";
constexpr std::int64_t kWholeStream = -1;

}  // namespace

struct Narrator::Stream {
  // Watches by id: servers count from 0, so an index will do; ids that clients chose large are
  // hashed.
  static constexpr std::int64_t kDenseIds = 1 << 16;

  StreamId id;
  bool witness = false;
  bool closing = false;              // by the client
  std::vector<WatchIndex> asked;     // by ordinal
  std::vector<std::int64_t> chosen;  // the id that the client asked for, or 0; by ordinal
  std::size_t answered = 0;          // creates are answered in order
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
  // Requests are handled in order, so a cancel means the latest create before it, answered or not.
  std::optional<WatchIndex> FindForCancel(std::int64_t watch_id) const {
    for (std::size_t i = asked.size(); i > answered; --i) {
      if (watch_id != 0 && chosen[i - 1] == watch_id) return asked[i - 1];
    }
    return Find(watch_id);
  }
};

Narrator::Narrator(Audience& audience, Bystander* bystander)
    : audience_(audience), bystander_(bystander) {}
Narrator::~Narrator() = default;

void Narrator::Tell(const NumberedEntry& line) {
  switch (line.entry.kind) {
    case EntryKind::kStreamOpened:
      StreamOf(line.entry.stream).witness = line.entry.text == kWitness;
      return;
    case EntryKind::kRequestSent:
      return TellRequest(line);
    case EntryKind::kResponseReceived:
      return TellResponse(line);
    case EntryKind::kStreamClosed:
      return TellStreamClosed(line);
    case EntryKind::kAnnotation:
      return TellAnnotation(line);
    default:
      return;
  }
}

void Narrator::Return(ResponsePtr response) { spare_.push_back(std::move(response)); }

ResponsePtr Narrator::Spare() {
  if (spare_.empty()) return std::make_unique<Response>();
  ResponsePtr response = std::move(spare_.back());
  spare_.pop_back();
  return response;
}

Narrator::Stream& Narrator::StreamOf(StreamId id) {
  if (latest_ != nullptr && latest_->id == id) return *latest_;
  std::unique_ptr<Stream>& stream = streams_[id.value];
  if (stream == nullptr) {
    stream = std::make_unique<Stream>();
    stream->id = id;
  }
  latest_ = stream.get();
  return *latest_;
}

void Narrator::TellRequest(const NumberedEntry& line) {
  Stream& stream = StreamOf(line.entry.stream);
  const Where where{line.line, line.entry.at};
  WatchRequestView request;
  if (Status status = Parse(line.entry.payload.view(), request); !status.ok()) {
    return audience_.OnUnreadable(where, status);
  }
  if (stream.witness) {
    if (request.kind != WatchRequestKind::kCreate) return;
    return audience_.OnWitnessAsked({where, stream.id, 0, request.create});
  }
  if (request.kind == WatchRequestKind::kCreate) {
    const WatchIndex watch(static_cast<std::uint32_t>(told_.size()));
    told_.emplace_back();
    const auto ordinal = static_cast<std::uint32_t>(stream.asked.size());
    stream.asked.push_back(watch);
    stream.chosen.push_back(request.create.watch_id);
    const Asked asked{where, stream.id, ordinal, request.create};
    if (bystander_ != nullptr) bystander_->HearAsked(watch, asked);
    audience_.OnAsked(watch, asked);
  } else if (request.kind == WatchRequestKind::kCancel) {
    const auto watch = stream.FindForCancel(request.cancel_id);
    if (!watch) return;  // etcd does not answer it either
    ++told_[watch->value].cancels;
    audience_.OnCancelAsked(*watch, where);
  } else if (request.kind == WatchRequestKind::kProgress) {
    audience_.OnProgressAsked(stream.id);
  }
}

void Narrator::TellResponse(const NumberedEntry& line) {
  Stream& stream = StreamOf(line.entry.stream);
  ResponsePtr response = Spare();
  response->where = {line.line, line.entry.at};
  response->stream = stream.id;
  response->payload = line.entry.payload;
  response->tail = line.entry.tail;
  const WatchResponseView& message = response->message;
  if (Status status = Parse(response->payload.view(), response->tail.view(), response->message);
      !status.ok()) {
    audience_.OnGarbled(stream.id, response->where, status);
    return Return(std::move(response));
  }
  audience_.OnHeader(Revision(message.header.revision));
  if (stream.witness) {
    if (!message.events.empty()) {
      if (bystander_ != nullptr) bystander_->HearWitnessed(*response);
      audience_.OnWitnessed(*response);
    }
    if (message.canceled) audience_.OnWitnessEnded(*response);
    return Return(std::move(response));
  }
  if (message.created) {
    TellCreated(stream, *response);
  } else if (message.watch_id == kWholeStream && message.events.empty() && !message.canceled) {
    TellStreamProgress(stream, *response);
  } else if (const auto watch = stream.Find(message.watch_id); !watch) {
    audience_.OnStray(*response);
  } else if (!message.events.empty()) {
    TellEvents(*watch, response);
  } else if (message.canceled) {
    TellCanceled(*watch, *response);
  } else if (told_[watch->value].ended) {
    audience_.OnAfterwards(*watch, *response);
  } else {
    audience_.OnProgress(*watch, *response);
  }
  if (response != nullptr) Return(std::move(response));
}

// The i-th created reply answers the i-th create, because etcd handles the requests of a stream in
// order. A refusal carries the id -1, or in some releases the id that was asked for: the id means
// nothing then.
void Narrator::TellCreated(Stream& stream, const Response& response) {
  if (stream.answered == stream.asked.size()) return audience_.OnStray(response);
  const WatchIndex watch = stream.asked[stream.answered++];
  Told& told = told_[watch.value];
  const bool compacted = response.message.compact_revision > 0;
  if (response.message.canceled && !compacted) {
    told.ended = true;
    return audience_.OnRefused(watch, response);
  }
  told.created = true;
  stream.Name(response.message.watch_id, watch);
  audience_.OnCreated(watch, response);
  if (compacted) TellCanceled(watch, response);
}

// Covers the watches that have been announced: etcd holds back what belongs to others, but not
// this.
void Narrator::TellStreamProgress(const Stream& stream, const Response& response) {
  for (std::size_t i = 0; i < stream.answered; ++i) {
    const WatchIndex watch = stream.asked[i];
    if (!told_[watch.value].ended) audience_.OnProgress(watch, response);
  }
}

void Narrator::TellCanceled(WatchIndex watch, const Response& response) {
  Told& told = told_[watch.value];
  const bool compacted = response.message.compact_revision > 0;
  if (!told.ended) {
    told.ended = true;
    if (compacted) return audience_.OnCompacted(watch, response);
    audience_.OnCancelled(watch, response);
    if (told.cancels > 0) --told.cancels;
    return;
  }
  // A cancel that crossed the end of its watch is still answered.
  if (!compacted && told.cancels > 0) {
    --told.cancels;
    return;
  }
  audience_.OnAfterwards(watch, response);
}

void Narrator::TellEvents(WatchIndex watch, ResponsePtr& response) {
  Told& told = told_[watch.value];
  const bool canceled = response->message.canceled;
  if (told.ended) return audience_.OnAfterwards(watch, *response);
  if (!told.mid_fragment) ++told.group;
  told.mid_fragment = response->message.fragment;
  response->group = told.group;
  response->last_part = !response->message.fragment;
  std::int64_t highest = 0;
  for (const EventView& event : response->message.events) {
    highest = std::max(highest, event.kv.mod_revision);
  }
  response->highest = Revision(highest);
  if (canceled) {
    // Not etcd's habit, but the message has both meanings.
    Response end;
    end.where = response->where;
    end.stream = response->stream;
    end.message.header = response->message.header;
    end.message.watch_id = response->message.watch_id;
    end.message.canceled = true;
    end.message.compact_revision = response->message.compact_revision;
    end.message.cancel_reason = response->message.cancel_reason;
    end.payload = response->payload;
    end.tail = response->tail;
    Deliver(watch, response);
    return TellCanceled(watch, end);
  }
  Deliver(watch, response);
}

void Narrator::Deliver(WatchIndex watch, ResponsePtr& response) {
  if (bystander_ != nullptr) bystander_->HearDelivered(watch, *response);
  audience_.OnDelivered(watch, response);
}

void Narrator::TellStreamClosed(const NumberedEntry& line) {
  const Stream& stream = StreamOf(line.entry.stream);
  const StreamEnd end{.where = {line.line, line.entry.at},
                      .stream = stream.id,
                      .intended = stream.closing,
                      .code = line.entry.code,
                      .text = line.entry.text};
  audience_.OnStreamClosed(end);
  for (const WatchIndex watch : stream.asked) {
    Told& told = told_[watch.value];
    if (std::exchange(told.ended, true)) continue;
    audience_.OnStreamEnded(watch, end);
  }
}

void Narrator::TellAnnotation(const NumberedEntry& line) {
  const Where where{line.line, line.entry.at};
  const auto annotation = ParseAnnotation(line.entry.text);
  if (!annotation.has_value()) return audience_.OnUnreadable(where, annotation.error());
  if (const auto* closing = std::get_if<ClosingStream>(&*annotation)) {
    StreamOf(closing->stream).closing = true;
  }
  const auto* resumption = std::get_if<Resumption>(&*annotation);
  if (resumption != nullptr && bystander_ != nullptr) bystander_->HearResumption(*resumption);
  audience_.OnAnnotation(*annotation, where);
}

}  // namespace watchproof
