// SPDX-License-Identifier: Apache-2.0
#include "embedded_store/watch/stream_queue.h"

#include <utility>

#include "harness/base/check.h"

namespace watchproof::store {

StreamQueue::StreamQueue(const WatchLimits& limits, WatchCounters& counters)
    : limits_(limits), counters_(counters) {}

StreamQueue::~StreamQueue() {
  for (const WatchReply& reply : events_) {
    counters_.pending_events -= static_cast<std::int64_t>(reply.events.size());
  }
}

bool StreamQueue::OfferEvents(WatchReply& reply) {
  MutexLock lock(mu_);
  if (events_.size() >= limits_.queued_replies) return false;
  counters_.pending_events += static_cast<std::int64_t>(reply.events.size());
  events_.push_back(std::move(reply));
  ++offered_;
  return true;
}

void StreamQueue::Answer(WatchReply reply, After after) {
  MutexLock lock(mu_);
  WP_CHECK(control_.size() < limits_.control_replies, "a request was read without room to answer");
  control_.push_back({std::move(reply), after == After::kEverything ? offered_ : 0});
}

void StreamQueue::End(WatchReply reply) {
  MutexLock lock(mu_);
  control_.push_back({std::move(reply), offered_});
}

std::optional<WatchReply> StreamQueue::Next() {
  MutexLock lock(mu_);
  std::optional<WatchReply> next;
  // The front answer waits at most for replies that are still in events_, so one of the two can
  // always go.
  if (!control_.empty() && control_.front().not_before <= left_) {
    next = std::move(control_.front().reply);
    control_.pop_front();
  } else if (!events_.empty()) {
    next = std::move(events_.front());
    events_.pop_front();
    ++left_;
    counters_.pending_events -= static_cast<std::int64_t>(next->events.size());
  }
  return next;
}

bool StreamQueue::control_full() const {
  MutexLock lock(mu_);
  return control_.size() >= limits_.control_replies;
}

bool StreamQueue::empty() const {
  MutexLock lock(mu_);
  return events_.empty() && control_.empty();
}

}  // namespace watchproof::store
