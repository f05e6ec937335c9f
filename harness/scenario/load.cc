// SPDX-License-Identifier: Apache-2.0
#include "harness/scenario/load.h"

#include <utility>

namespace watchproof {

Load::Load(std::size_t clients, std::size_t calls, std::function<Call(std::size_t client)> calls_of)
    : calls_(calls), calls_of_(std::move(calls_of)) {
  threads_.reserve(clients);
  for (std::size_t i = 0; i < clients; ++i) {
    threads_.emplace_back([this, i] { Run(i); });
  }
}

void Load::Stop() {
  stopping_ = true;
  for (std::thread& thread : threads_) {
    if (thread.joinable()) thread.join();
  }
}

void Load::Run(std::size_t client) {
  const Call call = calls_of_(client);
  for (std::size_t i = 0; i < calls_ && !stopping_; ++i) {
    const Result<Revision> revision = call();
    ++ended_;
    if (!revision.has_value()) {
      ++lost_;
      continue;
    }
    std::int64_t highest = highest_;
    while (highest < revision->value && !highest_.compare_exchange_weak(highest, revision->value)) {
    }
  }
  ++finished_;
}

}  // namespace watchproof
