// SPDX-License-Identifier: Apache-2.0
// Clients that call the store concurrently, each on its own thread.
//
//   Load load(8, 100, [&](std::size_t client) { return [kv = NewClient(client)] { ... }; });
//   session.PumpUntil([&] { return load.done(); }, Within(30s));
//   load.Stop();                                     // blocks until no call is open
//
// How the calls of different clients overlap depends on the machine. A client continues after a
// call without an answer.
//
// Threads: one per client, which touch nothing but what their calls do and a few counters; all else
// is for the thread that made the load. Ownership: owns the threads and the calls.
#pragma once

#include <atomic>
#include <functional>
#include <thread>
#include <utility>
#include <vector>

#include "harness/base/mutex.h"
#include "harness/base/status.h"
#include "harness/base/units.h"

namespace watchproof {

class Load {
 public:
  using Call = std::function<Result<Revision>()>;
  // The clients begin at once. `calls_of` is called on the client's thread.
  Load(std::size_t clients, std::size_t calls, std::function<Call(std::size_t client)> calls_of)
      : calls_(calls), calls_of_(std::move(calls_of)) {
    threads_.reserve(clients);
    for (std::size_t i = 0; i < clients; ++i) threads_.emplace_back([this, i] { Run(i); });
  }
  ~Load() { Stop(); }
  Load(const Load&) = delete;
  Load& operator=(const Load&) = delete;

  bool done() const { return finished_ == threads_.size(); }
  // Calls that have ended so far, and those of them without an answer.
  std::size_t ended() const { return ended_; }
  std::size_t lost() const { return lost_; }
  // That of the call that was the last to end without an answer; ok: there was none.
  Status last_error() const {
    MutexLock lock(mu_);
    return last_error_;
  }
  // The highest revision in an answer so far.
  Revision highest() const { return Revision(highest_); }
  // No further call begins. Idempotent.
  void Stop() {
    stopping_ = true;
    for (std::thread& thread : threads_) {
      if (thread.joinable()) thread.join();
    }
  }

 private:
  void Run(std::size_t client) {
    CallAll(calls_of_(client));
    ++finished_;
  }
  // By value: what a client still asks for in its end belongs to it.
  void CallAll(const Call call) {
    for (std::size_t i = 0; i < calls_ && !stopping_; ++i) {
      const Result<Revision> revision = call();
      ++ended_;
      if (!revision.has_value()) {
        ++lost_;
        MutexLock lock(mu_);
        last_error_ = revision.error();
        continue;
      }
      std::int64_t highest = highest_;
      while (highest < revision->value &&
             !highest_.compare_exchange_weak(highest, revision->value)) {
      }
    }
  }

  const std::size_t calls_;
  const std::function<Call(std::size_t client)> calls_of_;
  std::atomic<bool> stopping_ = false;
  std::atomic<std::size_t> finished_ = 0;
  std::atomic<std::size_t> ended_ = 0;
  std::atomic<std::size_t> lost_ = 0;
  std::atomic<std::int64_t> highest_ = 0;
  mutable Mutex mu_;
  Status last_error_ GUARDED_BY(mu_);
  std::vector<std::thread> threads_;
};

}  // namespace watchproof
