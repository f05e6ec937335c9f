// SPDX-License-Identifier: Apache-2.0
// The io thread: everything in proxies/core runs on it, and other threads enter through Run.
//
//   ProxyHost host;
//   Listener listener(host.io(), ...);
//   Status opened = host.Run([&] { return listener.Open(); });   // posts, waits, returns the value
//   host.Run([&] { listener.Close(); });
//   host.Stop();                                                  // waits for every coroutine
//
// Threads: Run and Stop from any thread. The mutex belongs to the admission of Run only; the io
// thread never takes it. After Stop there is no io thread, and callers of Run do the work
// themselves, one at a time. Ownership: objects that use io() are destroyed after Stop and before
// the host.
#pragma once

#include <boost/asio/executor_work_guard.hpp>
#include <boost/asio/post.hpp>
#include <functional>
#include <future>
#include <thread>
#include <type_traits>
#include <utility>

#include "harness/base/mutex.h"
#include "proxies/core/task.h"

namespace watchproof::proxy {

class ProxyHost {
 public:
  ProxyHost();
  ~ProxyHost() { Stop(); }
  ProxyHost(const ProxyHost&) = delete;
  ProxyHost& operator=(const ProxyHost&) = delete;

  Io& io() { return io_; }

  // Calls fn() on the io thread and returns what it returned. Inline if called on the io thread.
  // Blocks: until fn has returned. fn must not throw.
  template <typename Function>
  auto Run(Function fn) -> std::invoke_result_t<Function&> {
    using Value = std::invoke_result_t<Function&>;
    if (OnIoThread()) return fn();
    if (!Enter()) return RunAfterStop(fn);
    // The task moves to the io thread, which may still be inside it when this one wakes up.
    std::packaged_task<Value()> task(std::ref(fn));
    std::future<Value> finished = task.get_future();
    boost::asio::post(io_, [task = std::move(task)]() mutable { task(); });
    finished.wait();
    Leave();
    return finished.get();
  }

  // Waits until every coroutine has returned; the caller must have asked them to. Idempotent.
  // Requires: not on the io thread.
  void Stop();

 private:
  bool OnIoThread() { return io_.get_executor().running_in_this_thread(); }
  // False once Stop was called.
  bool Enter();
  void Leave();
  template <typename Function>
  auto RunAfterStop(Function& fn) {
    Stop();  // if another thread is still stopping, wait for it
    MutexLock lock(after_stop_);
    return fn();
  }

  Io io_{1};
  boost::asio::executor_work_guard<Io::executor_type> work_;
  Mutex after_stop_;
  Mutex admission_;
  CondVar changed_;
  int inside_ GUARDED_BY(admission_) = 0;
  enum class Phase {
    kRunning,
    kStopping,
    kStopped
  } phase_ GUARDED_BY(admission_) = Phase::kRunning;
  std::thread thread_;
};

}  // namespace watchproof::proxy
