// SPDX-License-Identifier: Apache-2.0
#include "embedded_store/watch/event_batch.h"

#include <algorithm>
#include <iterator>
#include <numeric>
#include <utility>

#include "harness/base/check.h"

namespace watchproof::store {
namespace {

// Numbers, tags and lengths of one key-value pair on the wire.
constexpr std::size_t kAround = 24;

std::size_t WireBytes(const Change& change) {
  return change.kv.key.size() + change.kv.value.size() + kAround;
}

std::size_t WireBytes(const PendingEvent& event) {
  const ChangePtr previous = event.previous.lock();
  return WireBytes(*event.change) + (previous ? WireBytes(*previous) : 0);
}

std::size_t WireBytes(const std::vector<PendingEvent>& events) {
  return std::accumulate(
      events.begin(), events.end(), std::size_t{0},
      [](std::size_t sum, const PendingEvent& event) { return sum + WireBytes(event); });
}

using Place = std::vector<PendingEvent>::iterator;

Place EndOfRevision(Place first, Place end) {
  return std::find_if(first, end, [mod = first->change->kv.mod](const PendingEvent& event) {
    return event.change->kv.mod != mod;
  });
}

// As many whole revisions as the bound allows, but at least one.
Place EndOfBatch(Place first, Place end, std::size_t most_bytes) {
  std::size_t bytes = 0;
  Place taken = first;
  while (taken != end) {
    const Place next = EndOfRevision(taken, end);
    for (Place event = taken; event != next; ++event) bytes += WireBytes(*event);
    if (bytes > most_bytes && taken != first) break;
    taken = next;
  }
  return taken;
}

}  // namespace

EventBatch::EventBatch(std::vector<PendingEvent> events)
    : events_(std::move(events)), bytes_(WireBytes(events_)) {
  WP_CHECK(!events_.empty(), "a batch holds events");
}

std::shared_ptr<const EncodedEvents> EventBatch::encoded() const {
  MutexLock lock(mu_);
  return encoded_;
}

std::shared_ptr<const EncodedEvents> EventBatch::KeepEncoded(
    std::shared_ptr<const EncodedEvents> made) const {
  MutexLock lock(mu_);
  if (!encoded_) encoded_ = std::move(made);
  return encoded_;
}

bool SameEvents(const std::vector<PendingEvent>& a, const std::vector<PendingEvent>& b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(),
                    [](const PendingEvent& one, const PendingEvent& other) {
                      return one.change == other.change &&
                             !one.previous.owner_before(other.previous) &&
                             !other.previous.owner_before(one.previous);
                    });
}

std::vector<BatchPtr> CutIntoBatches(std::vector<PendingEvent> events, std::size_t most_bytes) {
  std::vector<BatchPtr> batches;
  for (Place first = events.begin(); first != events.end();) {
    const Place end = EndOfBatch(first, events.end(), most_bytes);
    batches.push_back(std::make_shared<const EventBatch>(
        std::vector<PendingEvent>(std::make_move_iterator(first), std::make_move_iterator(end))));
    first = end;
  }
  return batches;
}

BatchPtr From(const BatchPtr& batch, Revision start) {
  if (batch->first() >= start) return batch;
  if (batch->last() < start) return nullptr;
  std::vector<PendingEvent> left;
  std::copy_if(batch->events().begin(), batch->events().end(), std::back_inserter(left),
               [start](const PendingEvent& event) { return event.change->kv.mod >= start; });
  return std::make_shared<const EventBatch>(std::move(left));
}

}  // namespace watchproof::store
