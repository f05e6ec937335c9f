// SPDX-License-Identifier: Apache-2.0
// The plain line of a stage: what was pushed leaves in the order in which it came, at once.
//
//   class EndAfter final : public Line {
//     void Push(Chunk chunk, TimePoint now) override { ... Join(std::move(chunk)); }
//   };
//
// Stages that hold chunks back, cut them short or swallow them override what differs.
// Threads: the io thread only.
#pragma once

#include <deque>
#include <optional>
#include <utility>

#include "proxies/core/stage.h"

namespace watchproof::proxy {

class Line : public Stage {
 public:
  std::optional<Chunk> Pull(TimePoint /*now*/) override {
    if (chunks_.empty()) return std::nullopt;
    Chunk chunk = std::move(chunks_.front());
    chunks_.pop_front();
    return chunk;
  }
  std::deque<Chunk> TakeAll(TimePoint /*now*/) override { return std::exchange(chunks_, {}); }

 protected:
  void Join(Chunk chunk) { chunks_.push_back(std::move(chunk)); }

 private:
  std::deque<Chunk> chunks_;
};

}  // namespace watchproof::proxy
