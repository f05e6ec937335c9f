// SPDX-License-Identifier: Apache-2.0
// Requests and replies of a watch stream, without their wire form, and the bounds and counters of
// the watch layer.
//
// Threads: values.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>

#include "embedded_store/mvcc/key_range.h"
#include "embedded_store/watch/event_batch.h"
#include "harness/base/deadline.h"
#include "harness/base/units.h"

namespace watchproof::store {

// The bounds of the watch layer, and the one choice it leaves. Counts and intervals are etcd's.
struct WatchLimits {
  std::size_t queued_replies = 128;           // event replies waiting in one stream
  std::size_t queued_bytes = 16ULL << 20;     // and the events in them, unless it is one reply
  std::size_t control_replies = 17;           // created and canceled answers waiting in one stream
  std::size_t reply_bytes = 64ULL << 10;      // of events in one reply, unless it is one revision
  std::size_t fragmented_bytes = 4ULL << 20;  // the same where the client takes fragments
  std::size_t watchers_per_step = 512;
  std::int64_t revisions_per_batch = 1000;
  Duration sync_interval = 100ms;  // after a step that left nothing to do, or could do nothing
  Duration victim_interval = 10ms;
  Duration progress_interval = 10min;
  // Where the previous value of an event is compacted before the event is queued, a watcher that
  // asked for it ends with ErrCompacted instead of being given the event without.
  bool strict_previous = false;
};

// How many of everything there is, for the metrics page. Written by the hub thread and the senders,
// read by any thread.
struct WatchCounters {
  std::atomic<std::int64_t> streams{0};
  std::atomic<std::int64_t> watchers{0};
  // Watchers that are not fed at commit: catching up, or waiting for room in the queue of their
  // stream.
  std::atomic<std::int64_t> slow_watchers{0};
  // Events waiting in the queues of the streams.
  std::atomic<std::int64_t> pending_events{0};
};

struct WatchSpec {
  KeyRange range;
  Revision start{0};          // 0: one past the current revision
  std::optional<WatchId> id;  // absent: the hub chooses
  bool progress_notify = false;
  bool previous_values = false;
  bool fragment = false;  // large replies may be split
  bool no_puts = false;
  bool no_deletes = false;
  // The user that the watch acts for; not used by the hub itself, see WatchHub::EndWhere.
  std::string user;
};

inline constexpr WatchId kWholeStream{-1};

// One message to the client. Events of one revision are never spread over two of them; the sender
// cuts a reply into fragments, because it knows the size on the wire.
struct WatchReply {
  WatchId watch{0};
  Revision revision{0};  // of the header
  bool created = false;
  bool canceled = false;
  Revision compacted{0};  // above 0: the watch ended because its history is gone
  std::string reason;
  bool may_fragment = false;
  BatchPtr batch;  // null: no events

  std::size_t event_count() const { return batch ? batch->events().size() : 0; }
  std::size_t event_bytes() const { return batch ? batch->bytes() : 0; }
};

}  // namespace watchproof::store
