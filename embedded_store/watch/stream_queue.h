// SPDX-License-Identifier: Apache-2.0
// The replies waiting to be sent on one watch stream: a bounded queue of event replies that all its
// watchers share, and a small separate path for answers to control requests.
//
//   if (!queue.OfferEvents(reply)) ...        // full: nothing was taken
//   while (auto taken = queue.Next()) Send(taken->reply);
//
// Order of what Next gives out:
//   1. event replies come in the order they were offered;
//   2. an answer comes before all event replies offered after it, so no event of a watch precedes
//      its created;
//   3. an answer offered with After::kEverything comes after all event replies offered before it,
//      so no event of a watch follows its canceled; with After::kNothing it overtakes them, so a
//      create is answered although the events of its neighbours are stuck. It does not overtake a
//      progress of the whole stream, which clients would take to cover the watch just created.
// Bound: 128 event replies that together refer to 16 MiB of events (or a single reply that is
// larger), and 17 answers. The events themselves are shared; while the store has not compacted
// them, a queue costs its 128 places and no more.
//
// Threads: any; one lock inside, under which nothing outside is called.
// Ownership: shared by the hub, which fills it, and the sender of the stream, which empties it.
#pragma once

#include <cstdint>
#include <deque>
#include <optional>

#include "embedded_store/watch/watch_types.h"
#include "harness/base/mutex.h"

namespace watchproof::store {

enum class After { kNothing, kEverything };

class StreamQueue {
 public:
  // The counters must outlive the queue.
  StreamQueue(const WatchLimits& limits, WatchCounters& counters);
  ~StreamQueue();
  StreamQueue(const StreamQueue&) = delete;
  StreamQueue& operator=(const StreamQueue&) = delete;

  // False when full; `reply` is then unchanged.
  [[nodiscard]] bool OfferEvents(WatchReply& reply);
  // How many replies it would take, by their number alone; 0 when full in any respect.
  std::size_t Room();
  // Requires: control_full() was false. A client gets no more answers than it leaves room for,
  // because its next request is read only when there is room.
  void Answer(WatchReply reply, After after);
  // The final reply to a watch that the server ends; comes after all event replies offered before
  // it. There is always room for it, because it takes the place of the watcher that it ends.
  void End(WatchReply reply);

  struct Taken {
    WatchReply reply;
    // An offer was refused since, and the queue is now half empty again: notify the hub.
    bool room_made = false;
  };
  std::optional<Taken> Next();

  bool control_full() const;
  bool empty() const;

 private:
  struct Control {
    WatchReply reply;
    std::uint64_t not_before;  // number of event replies that must have left
    bool asked_for;            // the answer to a request, and counted as such
  };
  bool FullLocked() const REQUIRES(mu_);
  bool HalfEmptyLocked() const REQUIRES(mu_);
  WatchReply TakeEventsLocked() REQUIRES(mu_);

  const WatchLimits limits_;
  WatchCounters& counters_;
  mutable Mutex mu_;
  std::deque<WatchReply> events_ GUARDED_BY(mu_);
  std::size_t event_bytes_ GUARDED_BY(mu_) = 0;
  bool room_wanted_ GUARDED_BY(mu_) = false;
  std::deque<Control> control_ GUARDED_BY(mu_);
  std::size_t answers_ GUARDED_BY(mu_) = 0;  // of them, those with asked_for
  std::uint64_t offered_ GUARDED_BY(mu_) = 0;
  std::uint64_t left_ GUARDED_BY(mu_) = 0;
};

}  // namespace watchproof::store
