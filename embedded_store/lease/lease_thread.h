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

#include <thread>

#include "embedded_store/lease/lessor.h"
#include "harness/base/mutex.h"

namespace watchproof::store {

class LeaseThread {
 public:
  explicit LeaseThread(Lessor& lessor);
  ~LeaseThread() { Stop(); }
  LeaseThread(const LeaseThread&) = delete;
  LeaseThread& operator=(const LeaseThread&) = delete;

  void Granted();
  void Stop();

 private:
  void Run();
  // False when it is time to stop.
  bool AwaitDue(TimePoint due);

  Lessor& lessor_;
  Mutex mu_;
  CondVar wake_;
  bool granted_ GUARDED_BY(mu_) = false;
  bool stopping_ GUARDED_BY(mu_) = false;
  std::thread thread_;
};

}  // namespace watchproof::store
