// SPDX-License-Identifier: Apache-2.0
#include "embedded_store/lease/lease_thread.h"

#include <algorithm>

namespace watchproof::store {

LeaseThread::LeaseThread(Lessor& lessor) : lessor_(lessor), thread_([this] { Run(); }) {}

void LeaseThread::Granted() {
  MutexLock lock(mu_);
  granted_ = true;
  wake_.NotifyOne();
}

void LeaseThread::Stop() {
  {
    MutexLock lock(mu_);
    stopping_ = true;
    wake_.NotifyOne();
  }
  if (thread_.joinable()) thread_.join();
}

void LeaseThread::Run() {
  TimePoint due{};  // the first step finds out
  TimePoint checkpoint{};
  while (AwaitDue(std::min(due, checkpoint))) {
    const TimePoint now = Clock::now();
    due = lessor_.ExpireStep(now);
    if (now >= checkpoint) checkpoint = lessor_.CheckpointStep(now);
  }
}

bool LeaseThread::AwaitDue(TimePoint due) {
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

}  // namespace watchproof::store
