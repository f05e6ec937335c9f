// SPDX-License-Identifier: Apache-2.0
// Brings every committed change to the watchers it concerns, in order and without waiting for any
// of them.
//
//   WatchHub hub(store, hooks);
//   const StreamId stream = hub.Open(queue, sink, now);
//   hub.Create(stream, {.range = KeyRange::Single("k"), .start = Revision{2}});
//   hub.CommitStep();  hub.SyncStep(now);  hub.VictimStep(now);      // by a thread, or by a test,
//   by hand
//
// A watcher is *synced* (fed at commit), *unsynced* (catching up from history, by SyncStep) or a
// *victim* (the queue of its stream was full; VictimStep offers its parked reply again).
// Invariants:
//   1. A watcher's position (`next`) never goes down, and everything below it has been queued,
//   parked, filtered
//      out, or lies below its start.
//   2. An unsynced watcher's position is at or below the hub's revision.
//   3. A watcher whose position falls below the compaction floor while it is unsynced gets one
//   compaction notice,
//      however long the queue has no room for it, and nothing after it.
// Clock and scheduling come from outside: steps say when they want to run next.
// Not thread-safe: one thread at a time, see hub_thread.h. It calls the store and the queues, whose
// locks are leaves, and after each operation the sinks of the streams that have something new to
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
#include "embedded_store/watch/watch_counters.h"
#include "embedded_store/watch/watcher.h"
#include "embedded_store/watch/watcher_group.h"

namespace watchproof::store {

using StreamId = Quantity<struct StreamIdTag, std::int64_t>;

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
  WatchId next_id{0};
  TimePoint next_progress;
  bool has_news = false;
};

// When a step that has nothing to do wants to run again.
inline constexpr TimePoint kNever = TimePoint::max();

class WatchHub {
 public:
  WatchHub(MvccStore& store, Hooks& hooks, WatchLimits limits = {});
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
  // Ends every watcher, of all streams, for which `judge` names a reason, with a canceled reply
  // that carries it. What is queued for it still goes out before; what it was behind with is
  // dropped.
  using Judge = std::function<std::string(const WatchSpec& spec)>;
  void EndWhere(const Judge& judge);

  // Feeds new commits to the synced watchers.
  void CommitStep();
  // Serves up to 512 unsynced watchers with up to 1000 revisions each. Next: at once if work is
  // left and some was done, after 100 ms if work is left and none could be done.
  TimePoint SyncStep(TimePoint now);
  // Offers parked replies again. Next: after 10 ms while any is left.
  TimePoint VictimStep(TimePoint now);
  // Tells idle synced watchers that asked for it how far they are. Next: when the next stream's
  // interval ends.
  TimePoint ProgressStep(TimePoint now);

  // Everything up to here has been fed to the synced watchers.
  Revision revision() const { return revision_; }
  bool has_unsynced() const { return !unsynced_.empty(); }
  bool has_victims() const { return !victims_.empty(); }
  bool has_streams() const { return !streams_.empty(); }
  const WatchLimits& limits() const { return limits_; }
  WatchCounters& counters() { return counters_; }

 private:
  WatchStream& Find(StreamId stream);
  // Empty when the request can be granted.
  std::string_view Refusal(const WatchStream& stream, const WatchSpec& spec) const;
  void Admit(WatchStream& stream, WatchSpec spec);
  bool ProgressIsDue(const WatchStream& stream) const;

  void DrainCommits();
  void Feed(const Commit& commit);

  std::vector<Watcher*> ChooseUnsynced();
  bool Serve(const std::vector<Watcher*>& chosen);
  bool SendNotice(Watcher& watcher, Revision floor);
  void CatchUp(Watcher& watcher, const History& history, Revision to);

  // Queues the reply, or parks it and makes the watcher a victim.
  bool QueueOrPark(Watcher& watcher, WatchReply reply);
  bool Offer(WatchStream& stream, WatchReply& reply);
  void Answer(WatchStream& stream, WatchReply reply, After after);
  // Into the group or among the unsynced, by position.
  void Place(Watcher& watcher);
  void Enter(Watcher& watcher, WatcherState state);
  void Leave(Watcher& watcher);
  // Ends a public operation: counters, then the sinks.
  void Publish();

  MvccStore& store_;
  Hooks& hooks_;
  const WatchLimits limits_;
  WatchCounters counters_;
  Revision revision_;
  std::int64_t last_stream_ = 0;
  std::size_t watchers_ = 0;  // of all streams
  WatcherGroup synced_;
  std::list<Watcher*> unsynced_;  // the first have waited longest
  std::list<Watcher*> victims_;
  std::vector<StreamId> news_;
  std::unordered_map<StreamId, std::unique_ptr<WatchStream>> streams_;
};

}  // namespace watchproof::store
