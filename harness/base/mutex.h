// SPDX-License-Identifier: Apache-2.0
// std::mutex with annotations that Clang can check; Abseil's is invisible to the thread sanitizer
// here.
//
//   mutable Mutex mu_;
//   int count_ GUARDED_BY(mu_);
//   ... MutexLock lock(mu_); ...
//
// No lock is held across a call into another folder.
#pragma once

#include <condition_variable>
#include <mutex>

#include "harness/base/deadline.h"

// Names for Clang's thread-safety attributes; nothing under other compilers.
#if defined(__clang__)
#define WP_ATTRIBUTE(x) __attribute__((x))
#else
#define WP_ATTRIBUTE(x)
#endif

// Abseil defines some of these too, as nothing; where both are included, these replace them.
#undef CAPABILITY
#undef SCOPED_CAPABILITY
#undef GUARDED_BY
#undef REQUIRES
#undef ACQUIRE
#undef RELEASE
#undef NO_THREAD_SAFETY_ANALYSIS
#define CAPABILITY(x) WP_ATTRIBUTE(capability(x))
#define SCOPED_CAPABILITY WP_ATTRIBUTE(scoped_lockable)
#define GUARDED_BY(x) WP_ATTRIBUTE(guarded_by(x))
#define REQUIRES(...) WP_ATTRIBUTE(requires_capability(__VA_ARGS__))
#define ACQUIRE(...) WP_ATTRIBUTE(acquire_capability(__VA_ARGS__))
#define RELEASE(...) WP_ATTRIBUTE(release_capability(__VA_ARGS__))
#define NO_THREAD_SAFETY_ANALYSIS WP_ATTRIBUTE(no_thread_safety_analysis)

namespace watchproof {

class CAPABILITY("mutex") Mutex {
 public:
  void lock() ACQUIRE() { mu_.lock(); }
  void unlock() RELEASE() { mu_.unlock(); }

 private:
  friend class CondVar;
  std::mutex mu_;
};

class SCOPED_CAPABILITY MutexLock {
 public:
  explicit MutexLock(Mutex& mu) ACQUIRE(mu) : mu_(mu) { mu_.lock(); }
  ~MutexLock() RELEASE() { mu_.unlock(); }
  MutexLock(const MutexLock&) = delete;
  MutexLock& operator=(const MutexLock&) = delete;

 private:
  Mutex& mu_;
};

class CondVar {
 public:
  void NotifyOne() { cv_.notify_one(); }
  void NotifyAll() { cv_.notify_all(); }
  // May wake without cause: call in a loop over the condition.
  void Wait(Mutex& mu) REQUIRES(mu) {
    std::unique_lock<std::mutex> lock(mu.mu_, std::adopt_lock);
    cv_.wait(lock);
    lock.release();
  }
  // Returns false once the deadline has passed.
  bool WaitUntil(Mutex& mu, TimePoint at) REQUIRES(mu) {
    std::unique_lock<std::mutex> lock(mu.mu_, std::adopt_lock);
    const bool in_time = cv_.wait_until(lock, at) == std::cv_status::no_timeout;
    lock.release();
    return in_time;
  }

 private:
  std::condition_variable cv_;
};

}  // namespace watchproof
