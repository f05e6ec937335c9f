// SPDX-License-Identifier: Apache-2.0
#include "embedded_store/watch/stream_queue.h"

#include <utility>

#include "harness/base/check.h"

namespace watchproof::store {

StreamQueue::StreamQueue(const WatchLimits& limits, WatchCounters& counters)
    : limits_(limits), counters_(counters) {}

StreamQueue::~StreamQueue() {
  for (const WatchReply& reply : events_) {
    counters_.pending_events -= static_cast<std::int64_t>(reply.event_count());
  }
}

bool StreamQueue::FullLocked() const {
  return events_.size() >= limits_.queued_replies || event_bytes_ >= limits_.queued_bytes;
}

bool StreamQueue::HalfEmptyLocked() const {
  return events_.size() <= limits_.queued_replies / 2 && event_bytes_ <= limits_.queued_bytes / 2;
}

bool StreamQueue::OfferEvents(WatchReply& reply) {
  MutexLock lock(mu_);
  if (FullLocked()) {
    room_wanted_ = true;
    return false;
  }
  counters_.pending_events += static_cast<std::int64_t>(reply.event_count());
  event_bytes_ += reply.event_bytes();
  events_.push_back(std::move(reply));
  ++offered_;
  return true;
}

std::size_t StreamQueue::Room() {
  MutexLock lock(mu_);
  if (!FullLocked()) return limits_.queued_replies - events_.size();
  room_wanted_ = true;
  return 0;
}

void StreamQueue::Answer(WatchReply reply, After after) {
  MutexLock lock(mu_);
  WP_CHECK(answers_ < limits_.control_replies, "a request was read without room to answer");
  // Behind everything, or behind the latest progress of the whole stream.
  std::uint64_t not_before = offered_;
  for (auto at = events_.rbegin(); after == After::kNothing && at != events_.rend(); ++at) {
    if (at->watch == kWholeStream) break;
    --not_before;
  }
  control_.push_back({std::move(reply), not_before, true});
  ++answers_;
}

void StreamQueue::End(WatchReply reply) {
  MutexLock lock(mu_);
  control_.push_back({std::move(reply), offered_, false});
}

WatchReply StreamQueue::TakeEventsLocked() {
  WatchReply reply = std::move(events_.front());
  events_.pop_front();
  ++left_;
  event_bytes_ -= reply.event_bytes();
  counters_.pending_events -= static_cast<std::int64_t>(reply.event_count());
  return reply;
}

std::optional<StreamQueue::Taken> StreamQueue::Next() {
  MutexLock lock(mu_);
  // The front answer waits at most for replies that are still in events_, so one of the two can
  // always go.
  if (!control_.empty() && control_.front().not_before <= left_) {
    Taken taken{std::move(control_.front().reply)};
    if (control_.front().asked_for) --answers_;
    control_.pop_front();
    return taken;
  }
  if (events_.empty()) return std::nullopt;
  Taken taken{TakeEventsLocked()};
  if (room_wanted_ && HalfEmptyLocked()) {
    room_wanted_ = false;
    taken.room_made = true;
  }
  return taken;
}

bool StreamQueue::control_full() const {
  MutexLock lock(mu_);
  return answers_ >= limits_.control_replies;
}

bool StreamQueue::empty() const {
  MutexLock lock(mu_);
  return events_.empty() && control_.empty();
}

}  // namespace watchproof::store
