// SPDX-License-Identifier: Apache-2.0
// A bounded queue between threads that belong to a library and one that belongs to us.
//
//   Mailbox<Message> inbox(1024);
//   inbox.Push(std::move(message));            // from a callback: never waits
//   while (auto m = inbox.Pop(Within(1s))) ...  // on our thread
//
// When full, Push returns false and takes nothing. Threads: any. Ownership: elements move through.
#pragma once

#include <cstddef>
#include <deque>
#include <optional>
#include <utility>

#include "harness/base/mutex.h"

namespace watchproof {

template <typename T>
class Mailbox {
 public:
  explicit Mailbox(std::size_t capacity) : capacity_(capacity) {}

  // False when full or closed; `item` is then unchanged.
  [[nodiscard]] bool Push(T&& item) {
    MutexLock lock(mu_);
    if (closed_ || items_.size() >= capacity_) return false;
    items_.push_back(std::move(item));
    arrived_.NotifyOne();
    return true;
  }
  // Empty when the deadline passed, or when closed and drained. Blocks: until one of these.
  std::optional<T> Pop(Deadline deadline) {
    MutexLock lock(mu_);
    while (items_.empty() && !closed_) {
      if (!arrived_.WaitUntil(mu_, deadline.at()) && items_.empty()) return std::nullopt;
    }
    return TakeLocked();
  }
  std::optional<T> TryPop() {
    MutexLock lock(mu_);
    return TakeLocked();
  }
  // What is inside can still be popped; nothing new enters.
  void Close() {
    MutexLock lock(mu_);
    closed_ = true;
    arrived_.NotifyAll();
  }
  std::size_t size() const {
    MutexLock lock(mu_);
    return items_.size();
  }
  bool closed() const {
    MutexLock lock(mu_);
    return closed_;
  }

 private:
  std::optional<T> TakeLocked() REQUIRES(mu_) {
    if (items_.empty()) return std::nullopt;
    std::optional<T> item(std::move(items_.front()));
    items_.pop_front();
    return item;
  }

  const std::size_t capacity_;
  mutable Mutex mu_;
  CondVar arrived_;
  std::deque<T> items_ GUARDED_BY(mu_);
  bool closed_ GUARDED_BY(mu_) = false;
};

}  // namespace watchproof
