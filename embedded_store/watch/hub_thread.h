// SPDX-License-Identifier: Apache-2.0
// The thread of a watch hub in a server: runs the hub's steps when they are due, and posted tasks.
//
//   HubThread hub(store, hooks, limits);
//   hub.CommitMade();                                    // after each write
//   hub.RoomMade();                                      // a queue that was found full is not any
//   hub.Post([](WatchHub& hub, TimePoint now) { ... });  // anything else
//
// Commits are taken in by rounds. A round that concerned many watchers is followed by a pause, from
// start to start, in which commits gather: the next round then costs one reply per watcher for all
// of them, and the writers keep the processor. A commit after a quiet time never waits.
//
// Threads: all public functions from any. CommitMade wakes the thread once, however many writers
// call it before it wakes, and not at all in a pause; it waits only when the hub itself is far
// behind, never for a watcher. Posted tasks wait in a list without a bound of its own: a stream has
// at most one request and its end in it. Ownership: owns the hub; borrows store and hooks, which
// outlive it. Stop waits for the thread; tasks posted later are dropped.
#pragma once

#include <algorithm>
#include <functional>
#include <optional>
#include <thread>
#include <vector>

#include "embedded_store/watch/watch_hub.h"
#include "harness/base/mutex.h"

namespace watchproof::store {

// From the start of a round that concerned so many watchers to the start of the next one.
Duration RoundPause(std::size_t watchers);

class HubThread {
 public:
  using Task = std::function<void(WatchHub& hub, TimePoint now)>;

  HubThread(MvccStore& store, const Hooks& hooks, const WatchLimits& limits);
  ~HubThread() { Stop(); }
  HubThread(const HubThread&) = delete;
  HubThread& operator=(const HubThread&) = delete;

  void Post(Task task);
  void CommitMade();
  void RoomMade();
  void Stop();

  WatchCounters& counters() { return hub_.counters(); }
  const WatchLimits& limits() const { return hub_.limits(); }
  const Hooks& hooks() const { return hooks_; }

 private:
  // Commits that may wait for the hub before writers do.
  static constexpr std::size_t kMostWaitingCommits = 8192;

  struct Due {
    TimePoint sync = kNever;
    TimePoint victims = kNever;
    TimePoint progress = kNever;
    TimePoint first() const { return std::min({sync, victims, progress}); }
  };
  // What the thread was woken for.
  struct Work {
    std::vector<Task> tasks;
    bool commits = false;
    bool room = false;
  };

  void Run();
  // Empty when it is time to stop.
  std::optional<Work> AwaitWork();
  void RunDueSteps();

  MvccStore& store_;
  const Hooks& hooks_;
  WatchHub hub_;  // touched by the thread only, but for its constants and counters
  Due due_;       // touched by the thread only
  TimePoint next_round_ = TimePoint::min();  // touched by the thread only
  Mutex mu_;
  CondVar work_;
  CondVar drained_;
  std::vector<Task> tasks_ GUARDED_BY(mu_);
  bool commits_ GUARDED_BY(mu_) = false;
  bool room_ GUARDED_BY(mu_) = false;
  bool pausing_ GUARDED_BY(mu_) = false;  // the thread will look for commits by itself
  bool stopping_ GUARDED_BY(mu_) = false;
  std::thread thread_;
};

}  // namespace watchproof::store
