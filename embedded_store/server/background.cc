// SPDX-License-Identifier: Apache-2.0
#include "embedded_store/server/background.h"

#include <utility>

namespace watchproof::store {

void Background::Post(Task task) {
  MutexLock lock(mu_);
  if (stopping_) return;
  tasks_.push_back(std::move(task));
  work_.NotifyOne();
}

void Background::Stop() {
  {
    MutexLock lock(mu_);
    stopping_ = true;
    work_.NotifyOne();
  }
  if (thread_.joinable()) thread_.join();
}

void Background::Run() {
  while (true) {
    Task task;
    {
      MutexLock lock(mu_);
      while (tasks_.empty() && !stopping_) work_.Wait(mu_);
      if (tasks_.empty()) return;
      task = std::move(tasks_.front());
      tasks_.pop_front();
    }
    task();
  }
}

}  // namespace watchproof::store
