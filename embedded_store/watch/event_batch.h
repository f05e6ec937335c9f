// SPDX-License-Identifier: Apache-2.0
// Pending events of watchers: put together once, shared by every watcher with the same pending
// events, and encoded once.
//
//   for (const BatchPtr& batch : CutIntoBatches(std::move(events), 64 * 1024)) queue.Offer(...);
//
// A batch refers to changes and copies none; previous values it does not even keep alive, so that
// compaction can take them while the batch waits (unless the store promises them, see `kept`).
// Threads: immutable after construction, except for the encoded form, which the first sender leaves
// for the others. Ownership: shared by queues and senders.
#pragma once

#include <cstddef>
#include <memory>
#include <vector>

#include "embedded_store/mvcc/change.h"
#include "harness/base/mutex.h"

namespace watchproof::store {

struct PendingEvent {
  ChangePtr change;
  std::weak_ptr<const Change> previous;
  ChangePtr kept;  // the previous value once more, where it must still be there when it is sent
};

// What a sender makes of the events of a batch; defined by the sender.
struct EncodedEvents;

class EventBatch;
using BatchPtr = std::shared_ptr<const EventBatch>;

class EventBatch {
 public:
  // Requires: at least one event, in order.
  explicit EventBatch(std::vector<PendingEvent> events);

  const std::vector<PendingEvent>& events() const { return events_; }
  Revision first() const { return events_.front().change->kv.mod; }
  Revision last() const { return events_.back().change->kv.mod; }
  // About what it takes on the wire.
  std::size_t bytes() const { return bytes_; }

  // Null until KeepEncoded was called.
  std::shared_ptr<const EncodedEvents> encoded() const;
  // The first encoding is kept; returns that one.
  std::shared_ptr<const EncodedEvents> KeepEncoded(std::shared_ptr<const EncodedEvents> made) const;

 private:
  const std::vector<PendingEvent> events_;
  const std::size_t bytes_;
  mutable Mutex mu_;
  mutable std::shared_ptr<const EncodedEvents> encoded_ GUARDED_BY(mu_);
};

// The same changes with the same previous values.
bool SameEvents(const std::vector<PendingEvent>& a, const std::vector<PendingEvent>& b);

// In order; none of them splits a revision, and only one that holds a single revision is above the
// bound.
std::vector<BatchPtr> CutIntoBatches(std::vector<PendingEvent> events, std::size_t most_bytes);

// What is left of a batch for a watcher that starts at a later revision; null when nothing is.
BatchPtr From(const BatchPtr& batch, Revision start);

}  // namespace watchproof::store
