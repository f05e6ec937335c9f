// SPDX-License-Identifier: Apache-2.0
// One thread for long work, so that no call waits for it on a gRPC thread: removing what a
// compaction dropped, defragmenting, hashing.
//
//   Background background;
//   background.Post([&] { while (store.CompactStep()) continue; });
//
// Threads: Post from any; tasks run one after the other. Ownership: a task's references must be
// good until Stop has returned. Stop is idempotent, runs what was posted before and waits; what is
// posted later is dropped.
#pragma once

#include <deque>
#include <functional>
#include <thread>

#include "harness/base/mutex.h"

namespace watchproof::store {

class Background {
 public:
  using Task = std::function<void()>;

  Background() : thread_([this] { Run(); }) {}
  ~Background() { Stop(); }
  Background(const Background&) = delete;
  Background& operator=(const Background&) = delete;

  void Post(Task task);
  void Stop();

 private:
  void Run();

  Mutex mu_;
  CondVar work_;
  std::deque<Task> tasks_ GUARDED_BY(mu_);
  bool stopping_ GUARDED_BY(mu_) = false;
  std::thread thread_;
};

}  // namespace watchproof::store
