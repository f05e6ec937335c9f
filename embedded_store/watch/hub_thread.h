// SPDX-License-Identifier: Apache-2.0
// The one thread on which a watch hub lives in a server: runs its steps when they are due and what
// others post.
//
//   HubThread hub(store, hooks, limits);
//   hub.CommitMade();                                    // after each write
//   hub.Post([](WatchHub& hub, TimePoint now) { ... });  // anything else
//
// Threads: all public functions from any. CommitMade wakes the thread once, however many writers
// call it before it wakes; it waits only when the hub itself is far behind, never for a watcher.
// What is posted waits in a list without a bound of its own: a stream has at most one request and
// its end in it. Ownership: owns the hub; borrows store and hooks, which outlive it. Stop waits for
// the thread; what is posted later is dropped.
#pragma once

#include <algorithm>
#include <functional>
#include <thread>
#include <vector>

#include "embedded_store/watch/watch_hub.h"
#include "harness/base/mutex.h"

namespace watchproof::store {

class HubThread {
 public:
  using Task = std::function<void(WatchHub& hub, TimePoint now)>;

  HubThread(MvccStore& store, Hooks& hooks, const WatchLimits& limits);
  ~HubThread() { Stop(); }
  HubThread(const HubThread&) = delete;
  HubThread& operator=(const HubThread&) = delete;

  void Post(Task task);
  void CommitMade();
  void Stop();

  WatchCounters& counters() { return hub_.counters(); }
  const WatchLimits& limits() const { return hub_.limits(); }

 private:
  // Commits that may wait for the hub before writers do.
  static constexpr std::size_t kMostWaitingCommits = 8192;

  struct Due {
    TimePoint sync = kNever;
    TimePoint victims = kNever;
    TimePoint progress = kNever;
    TimePoint first() const { return std::min({sync, victims, progress}); }
  };

  void Run();
  // False when it is time to stop.
  bool AwaitWork(TimePoint due, std::vector<Task>& tasks);
  void RunDueSteps();

  MvccStore& store_;
  WatchHub hub_;  // touched by the thread only, but for its constants and counters
  Due due_;       // touched by the thread only
  Mutex mu_;
  CondVar work_;
  CondVar drained_;
  std::vector<Task> tasks_ GUARDED_BY(mu_);
  bool commits_ GUARDED_BY(mu_) = false;
  bool stopping_ GUARDED_BY(mu_) = false;
  std::thread thread_;
};

}  // namespace watchproof::store
