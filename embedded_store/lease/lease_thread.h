// SPDX-License-Identifier: Apache-2.0
// The thread on which leases end in a server: runs the lessor's steps when they are due.
//
//   LeaseThread thread(lessor);
//   lessor.Grant(request, Clock::now());
//   thread.Granted();                  // the new one may be the next to end
//
// Threads: all public functions from any. Ownership: borrows the lessor, which outlives it. Stop is
// idempotent and waits.
#pragma once

#include <algorithm>
#include <thread>

#include "embedded_store/lease/lessor.h"
#include "harness/base/mutex.h"

namespace watchproof::store {

class LeaseThread {
 public:
  explicit LeaseThread(Lessor& lessor) : lessor_(lessor), thread_([this] { Run(); }) {}
  ~LeaseThread() { Stop(); }
  LeaseThread(const LeaseThread&) = delete;
  LeaseThread& operator=(const LeaseThread&) = delete;

  void Granted() {
    MutexLock lock(mu_);
    granted_ = true;
    wake_.NotifyOne();
  }
  void Stop() {
    {
      MutexLock lock(mu_);
      stopping_ = true;
      wake_.NotifyOne();
    }
    if (thread_.joinable()) thread_.join();
  }

 private:
  void Run() {
    TimePoint due{};  // the first step finds out
    TimePoint checkpoint{};
    while (AwaitDue(std::min(due, checkpoint))) {
      const TimePoint now = Clock::now();
      due = lessor_.ExpireStep(now);
      if (now >= checkpoint) checkpoint = lessor_.CheckpointStep(now);
    }
  }
  // False when it is time to stop.
  bool AwaitDue(TimePoint due) {
    MutexLock lock(mu_);
    while (!stopping_ && !granted_ && Clock::now() < due) {
      if (due == Lessor::kNeverExpires) {
        wake_.Wait(mu_);
      } else {
        wake_.WaitUntil(mu_, due);
      }
    }
    granted_ = false;
    return !stopping_;
  }

  Lessor& lessor_;
  Mutex mu_;
  CondVar wake_;
  bool granted_ GUARDED_BY(mu_) = false;
  bool stopping_ GUARDED_BY(mu_) = false;
  std::thread thread_;
};

}  // namespace watchproof::store
