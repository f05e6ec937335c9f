// SPDX-License-Identifier: Apache-2.0
// Brings every committed change to the watchers it concerns, in order and without waiting for any
// of them.
//
//   WatchHub hub(store, hooks);
//   const StreamId stream = hub.Open(queue, sink, now);
//   hub.Create(stream, {.range = KeyRange::Single("k"), .start = Revision{2}});
//   hub.CommitStep();  hub.SyncStep(now);  hub.VictimStep(now);   // by a thread, or a test, by
//   hand
//
// A watcher is *synced* (fed at commit), *unsynced* (catching up from history, by SyncStep) or a
// *victim* (the queue of its stream was full; VictimStep serves it from history when there is
// room). A watcher that is not synced is represented by its position only; no events are kept for
// it. All commits of one CommitStep go into one reply per watcher, as far as they fit; watchers
// with the same pending events share one batch.
// Invariants:
//   1. A watcher's position (`next`) never goes down, and everything below it has been queued,
//      filtered out, or is below its start.
//   2. The position of an unsynced watcher or a victim is at or below the hub's revision.
//   3. A watcher with a position below the compaction floor while it is unsynced or a victim gets
//      one compaction notice, however long the queue has no room for it, and nothing after it.
// Bounds: a watcher costs one Watcher, whatever it has missed, and its spec is kept once for all
// watchers with the same spec; a stream costs its queue (stream_queue.h).
// Clock and scheduling come from outside: steps return when they have to run next.
// Not thread-safe: one thread at a time, see hub_thread.h. It calls the store and the queues with
// their leaf locks, and after each operation the sinks of the streams that have something new to
// send. Ownership: borrows store and hooks, which outlive it; shares each queue with the sender of
// its stream.
#pragma once

#include <cstdint>
#include <functional>
#include <list>
#include <memory>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "embedded_store/mvcc/hooks.h"
#include "embedded_store/mvcc/mvcc_store.h"
#include "embedded_store/watch/stream_queue.h"
#include "embedded_store/watch/watcher_group.h"

namespace watchproof::store {

using StreamId = Quantity<struct HubStreamIdTag, std::int64_t>;

// The sender of one stream.
class StreamSink {
 public:
  virtual ~StreamSink() = default;
  // The queue has something new. Called on the hub's thread; must not wait and must not call the
  // hub.
  virtual void Ready() = 0;
};

// What the hub keeps of one stream.
struct WatchStream {
  StreamId id;
  std::shared_ptr<StreamQueue> queue;
  std::weak_ptr<StreamSink> sink;
  std::unordered_map<WatchId, std::unique_ptr<Watcher>> watchers;
  std::list<Watcher*> victims;                        // the first have waited longest
  std::list<WatchStream*>::iterator victims_place{};  // while there are victims
  WatchId next_id{0};
  TimePoint next_progress;
  bool progress_pending = false;  // to a request that came early, if such are remembered
  bool has_updates = false;
};

// The next run time of a step that has nothing to do.
inline constexpr TimePoint kNever = TimePoint::max();

class WatchHub {
 public:
  WatchHub(MvccStore& store, const Hooks& hooks, WatchLimits limits = {});
  ~WatchHub();
  WatchHub(const WatchHub&) = delete;
  WatchHub& operator=(const WatchHub&) = delete;

  StreamId Open(std::shared_ptr<StreamQueue> queue, std::weak_ptr<StreamSink> sink, TimePoint now);
  void Close(StreamId stream);

  // Always answered: with a created reply, or with created and canceled in one, watch id -1 and a
  // reason.
  void Create(StreamId stream, WatchSpec spec);
  // Answers a create that was refused before the hub was asked.
  void Refuse(StreamId stream, std::string reason);
  // Answered after everything queued for this watch; an unknown id is not answered.
  void Cancel(StreamId stream, WatchId id);
  // Answered behind the queued events when every watcher of the stream is synced, none starts in
  // the future and the queue has room; else not at all, and the client asks again.
  void RequestProgress(StreamId stream);
  // Ends every watcher, of all streams, for which `judge` returns a reason, with a canceled reply
  // that carries it. What is queued for it is still sent before; what it had yet to catch up on is
  // dropped.
  using Judge = std::function<std::string(const WatchSpec& spec)>;
  void EndWhere(const Judge& judge);

  // Feeds new commits to the synced watchers. Returns how many of them it concerned.
  std::size_t CommitStep();
  // Serves up to 512 unsynced watchers with up to 1000 revisions each. Next: at once if work is
  // left and some was done, after 100 ms if work is left and none could be done.
  TimePoint SyncStep(TimePoint now);
  // Serves up to 512 victims with room in the queues of their streams, as SyncStep does. Next: at
  // once while any queue has room, after 10 ms while any victim is left.
  TimePoint VictimStep(TimePoint now);
  // Sends progress to idle synced watchers that asked for it. Next: when the next stream's interval
  // ends.
  TimePoint ProgressStep(TimePoint now);

  // Everything up to here has been fed to the synced watchers.
  Revision revision() const { return revision_; }
  bool has_unsynced() const { return !unsynced_.empty(); }
  bool has_victims() const { return !victim_streams_.empty(); }
  bool has_streams() const { return !streams_.empty(); }
  const WatchLimits& limits() const { return limits_; }
  WatchCounters& counters() { return counters_; }

 private:
  // watch_hub.cc: streams and requests.
  WatchStream& Find(StreamId stream);
  // Empty when the request can be granted.
  std::string_view Refusal(const WatchStream& stream, const WatchSpec& spec) const;
  void Admit(WatchStream& stream, const WatchSpec& spec);
  void Drop(Watcher& watcher);
  void Silence(WatchStream& stream, WatchId id);
  bool ReceivesProgress(const Watcher& watcher) const;
  bool ProgressIsDue(const WatchStream& stream) const;
  void Answer(WatchStream& stream, WatchReply reply, After after);
  // Ends a public operation: counters, then the sinks.
  void Publish();

  // watch_feed.cc: from commits to the queues, and between the sets.
  std::size_t DrainCommits();
  void Match(const Commit& commit, std::vector<Interest*>& touched);
  // What the previous interest was given.
  struct Shared {
    std::size_t most_bytes = 0;
    std::vector<PendingEvent> events;
    std::vector<BatchPtr> batches;
  };
  void Feed(Interest& interest, Shared& shared);
  PendingEvent ToPending(const Interest& interest, const Event& event) const;
  std::size_t MostBytes(const Interest& interest) const;
  // Queues what the watcher has not been given of these; false when the queue was full, and the
  // watcher a victim with its position at what it was not given.
  bool Give(Watcher& watcher, const std::vector<BatchPtr>& batches);
  WatchId Addressee(const Watcher& watcher) const;
  bool Offer(WatchStream& stream, WatchReply& reply);
  void PayProgress(WatchStream& stream);
  // To the synced or the unsynced, by position.
  void Place(Watcher& watcher);
  void MoveTo(Watcher& watcher, WatcherState state);
  void Enter(Watcher& watcher, WatcherState state);
  void Leave(Watcher& watcher);

  // watch_sync.cc: the loops.
  std::vector<Watcher*> ChooseUnsynced();
  std::vector<Watcher*> ChooseVictims();
  bool Serve(std::vector<Watcher*> chosen);
  bool BreakPass(const std::vector<Watcher*>& chosen);
  bool SendNotice(Watcher& watcher, Revision floor);
  void CatchUp(Watcher& watcher, const History& history, Revision to);
  bool LacksPrevious(const Interest& interest, const Event& event, Revision floor) const;
  bool PutTogether(Interest& interest, const History& history, Revision from, Revision to) const;
  // After a watcher was given everything below its new position.
  void MoveOn(Watcher& watcher);

  MvccStore& store_;
  const Hooks& hooks_;
  const WatchLimits limits_;
  WatchCounters counters_;
  Revision revision_;
  std::int64_t last_stream_ = 0;
  std::size_t watchers_ = 0;  // of all streams
  std::size_t victims_ = 0;   // of all streams
  WatcherGroup group_;
  std::list<Watcher*> unsynced_;            // the first have waited longest
  std::list<WatchStream*> victim_streams_;  // streams with victims
  std::vector<StreamId> updates_;
  std::unordered_map<StreamId, std::unique_ptr<WatchStream>> streams_;
};

}  // namespace watchproof::store
