// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <utility>

#include "harness/explore/stepped/store_operations.h"
#include "harness/explore/stepped/virtual_run.h"

namespace watchproof::explore {
namespace {

store::WatchSpec SpecOf(const Create& create, std::int64_t start) {
  store::WatchSpec spec{.range = RangeOf(create.key, create.end),
                        .start = Revision(start),
                        .progress_notify = create.options.progress_notify,
                        .previous_values = create.options.prev_kv,
                        .fragment = create.options.fragment,
                        .no_puts = create.options.no_put,
                        .no_deletes = create.options.no_delete};
  if (create.id != 0) spec.id = WatchId(create.id);
  return spec;
}

std::size_t UpToThree(std::size_t count) { return std::min<std::size_t>(count, 3); }

std::size_t ShapeOf(const store::WatchReply& reply, std::size_t parts) {
  const std::size_t shape = (reply.created ? 1 : 0) + (reply.canceled ? 2 : 0) +
                            (reply.compacted.value > 0 ? 4 : 0) + (reply.watch.value < 0 ? 8 : 0) +
                            16 * UpToThree(reply.event_count()) + 64 * UpToThree(parts);
  bool previous = false;
  bool erased = false;
  if (reply.batch) {
    for (const store::PendingEvent& event : reply.batch->events()) {
      previous = previous || !event.previous.expired();
      erased = erased || event.change->kind == store::ChangeKind::kDelete;
    }
  }
  return shape + (previous ? 256 : 0) + (erased ? 512 : 0);
}

}  // namespace

void VirtualRun::Do(const Create& create) {
  for (std::int64_t i = 0; i < create.times; ++i) {
    Ask(Open(create.stream), create, Resolve(create.start));
  }
}

void VirtualRun::Ask(Stream& stream, const Create& create, std::int64_t start) {
  const auto ordinal = static_cast<std::uint32_t>(stream.watches.size());
  stream.watches.push_back({.asked = create,
                            .ordinal = ordinal,
                            .start = start,
                            .start_kind = KindOfStart(start, floor_, head_)});
  recording_.Request(stream.recorded, ToWire(create, Placement(), start));
  Create placed = create;
  placed.start = {Place::From::kNumber, start};
  Hand(stream, std::move(placed));
}

void VirtualRun::Do(const Cancel& cancel) {
  Stream& stream = Open(cancel.stream);
  recording_.Request(stream.recorded, ToWire(cancel));
  if (ClientWatch* watch = Find(stream, cancel.id)) watch->cancel_asked = true;
  Hand(stream, cancel);
}

void VirtualRun::Do(const AskProgress& ask) {
  Stream& stream = Open(ask.stream);
  for (std::int64_t i = 0; i < ask.times; ++i) {
    recording_.Request(stream.recorded, ToWire(ask));
    Hand(stream, ask);
  }
}

void VirtualRun::Do(const CloseStream& close) {
  Stream& stream = StreamOf(close.stream);
  if (!stream.open) return;
  recording_.Annotate(ClosingStream{stream.recorded});
  hub_->Close(stream.in_hub);
  CloseAt(stream, StatusCode::kCancelled);
}

void VirtualRun::Do(const Resume& resume) {
  Do(CloseStream{resume.stream});
  const Stream before = StreamOf(resume.stream);
  if (before.recorded.value == 0) return;
  Stream& stream = Open(resume.stream);
  for (const ClientWatch& watch : before.watches) {
    if (watch.refused || watch.cancel_asked || (watch.ended && watch.compacted == 0)) continue;
    const std::int64_t next = watch.created ? watch.next : watch.start;
    recording_.Annotate(
        Resumption{.stream = before.recorded,
                   .ordinal = watch.ordinal,
                   .next_stream = stream.recorded,
                   .next_ordinal = static_cast<std::uint32_t>(stream.watches.size())});
    Ask(stream, watch.asked, watch.compacted > 0 ? watch.compacted : next);
  }
}

// The store reads no request while there is no room for its answer.
void VirtualRun::Hand(Stream& stream, const Step& request) {
  stream.waiting.push_back(request);
  HandWaiting(stream);
}

void VirtualRun::HandWaiting(Stream& stream) {
  while (!stream.waiting.empty() && !stream.queue->control_full()) {
    const Step request = std::move(stream.waiting.front());
    stream.waiting.pop_front();
    if (const auto* create = std::get_if<Create>(&request)) {
      stream.watches[stream.handed++].head_asked = script_.limits.disk ? 1 : head_;
      hub_->Create(stream.in_hub, SpecOf(*create, create->start.plus));
    } else if (const auto* cancel = std::get_if<Cancel>(&request)) {
      hub_->Cancel(stream.in_hub, WatchId(cancel->id));
    } else {
      hub_->RequestProgress(stream.in_hub);
    }
  }
}

void VirtualRun::Do(const Receive& receive) {
  Stream& stream = StreamOf(receive.stream);
  if (stream.open)
    ReceiveFrom(stream, static_cast<std::size_t>(std::max<std::int64_t>(receive.replies, 0)));
}

// As the sender of a stream does: it looks at the queue when it is called.
std::size_t VirtualRun::ReceiveFrom(Stream& stream, std::size_t replies) {
  std::size_t taken = 0;
  for (; taken < replies && stream.sink->ready; ++taken) {
    const auto next = stream.queue->Next();
    if (!next) {
      stream.sink->ready = false;
      break;
    }
    Received(stream, next->reply);
    HandWaiting(stream);
  }
  return taken;
}

ClientWatch* VirtualRun::Find(Stream& stream, std::int64_t id) {
  const auto found = std::find_if(
      stream.watches.rbegin(), stream.watches.rend(),
      [id](const ClientWatch& watch) { return watch.created && !watch.ended && watch.id == id; });
  return found == stream.watches.rend() ? nullptr : &*found;
}

// As a server splits it: whole events, as long as the message stays within the bound. A planted bug
// may cut or drop a part. Returns the number of messages.
std::size_t VirtualRun::RecordReply(Stream& stream, const store::WatchReply& reply) {
  std::span<const store::PendingEvent> events;
  if (reply.batch) events = reply.batch->events();
  const ClientWatch* const watch = Find(stream, reply.watch.value);
  if (watch != nullptr && !events.empty()) {
    answers_.CompareTexts("large replies to be split for watches that ask for it, and no others",
                          fmt::format("{}", watch->asked.options.fragment),
                          fmt::format("{}", reply.may_fragment));
  }
  std::size_t parts = 0;
  const auto most = static_cast<std::size_t>(script_.limits.part_bytes);
  const auto fits = [&](std::size_t count) {
    return ToWire(reply, events.first(count), count < events.size()).size() <= most;
  };
  const bool cut = !reply.may_fragment && events.size() > 1 &&
                   hooks_.reply_cut == store::ReplyCut::kBetweenEvents;
  do {
    std::size_t count = cut && parts == 0 ? events.size() / 2 : events.size();
    if (reply.may_fragment) count = std::min<std::size_t>(1, count);
    while (reply.may_fragment && count < events.size() && fits(count + 1)) ++count;
    std::string message =
        ToWire(reply, events.first(count), reply.may_fragment && count < events.size());
    events = events.subspan(count);
    const bool dropped = reply.may_fragment && parts > 0 && events.empty() &&
                         hooks_.last_part == store::LastPart::kDropped;
    if (!dropped) recording_.Response(stream.recorded, std::move(message));
    ++parts;
  } while (!events.empty());
  return parts;
}

void VirtualRun::Received(Stream& stream, const store::WatchReply& reply) {
  features_.Reply(ShapeOf(reply, RecordReply(stream, reply)));
  if (reply.created && stream.answered < stream.watches.size()) {
    ClientWatch& watch = stream.watches[stream.answered++];
    CheckHeader(reply, watch.head_asked);
    CheckId(stream, watch, reply);
    watch.created = !reply.canceled;
    if (watch.created) ++stream.kept_watches;
    watch.refused = reply.canceled;
    watch.id = reply.watch.value;
    watch.next = watch.start > 0 ? watch.start : reply.revision.value + 1;
    return;
  }
  const bool whole = !reply.batch && !reply.canceled && reply.watch == store::kWholeStream;
  if (whole) ++stream.progress;
  if (reply.canceled && reply.compacted.value == 0) {
    CheckHeader(reply, 1);
    --stream.kept_watches;
  }
  for (ClientWatch& watch : stream.watches) {
    if (!watch.created || watch.ended || (!whole && watch.id != reply.watch.value)) continue;
    if (!whole && !reply.canceled && !reply.batch) NotePeriodic(stream, watch);
    if (reply.canceled) {
      watch.ended = true;
      watch.compacted = reply.compacted.value;
    } else {
      watch.fed = watch.fed || reply.batch;
      const Revision through = reply.batch ? reply.batch->last() : reply.revision;
      watch.next = std::max(watch.next, through.value + 1);
    }
  }
}

// A refused watch has none; those that the store chooses only grow.
void VirtualRun::CheckId(Stream& stream, const ClientWatch& watch, const store::WatchReply& reply) {
  const std::int64_t id = reply.watch.value;
  if (reply.canceled) {
    answers_.CompareNumbers("a refused watch", store::kWholeStream.value, id);
  } else if (watch.asked.id != 0) {
    answers_.CompareNumbers("a watch with an id of its client's choice", watch.asked.id, id);
  } else {
    const bool grows = id > std::exchange(stream.last_chosen, id);
    answers_.CompareTexts("a watch to get an id that its stream never had", "true",
                          fmt::format("{}", grows));
  }
}

// The answer to a request names a revision that the store had reached by then.
void VirtualRun::CheckHeader(const store::WatchReply& reply, std::int64_t least) {
  const std::int64_t named = reply.revision.value;
  if (named >= least && named <= store_->current().value) return;
  answers_.CompareTexts("the answer to a watch request with the revision of the store",
                        fmt::format("{} to {}", least, head_), fmt::format("{}", named));
}

// At most one in each interval.
void VirtualRun::NotePeriodic(const Stream& stream, ClientWatch& watch) {
  const auto intervals = (Now() - stream.opened) / watch_limits_.progress_interval;
  if (++watch.notices <= intervals) return;
  answers_.CompareTexts("at most one periodic progress of a watch in each interval",
                        fmt::format("{} at most", intervals), fmt::format("{}", watch.notices));
}

void VirtualRun::ReceiveControl() {
  if (!control_.open || !std::exchange(control_.sink->ready, false)) return;
  while (const auto next = control_.queue->Next()) {
    std::span<const store::PendingEvent> events;
    if (next->reply.batch) events = next->reply.batch->events();
    recording_.Response(control_.recorded, ToWire(next->reply, events, false));
    if (next->reply.batch) control_next_ = next->reply.batch->last().value + 1;
  }
}

}  // namespace watchproof::explore
