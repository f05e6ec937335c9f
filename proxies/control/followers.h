// SPDX-License-Identifier: Apache-2.0
// The followers of the live connections of one proxy, and the stages of stream effects in them.
//
// Threads: the io thread only. Ownership: the connections own their followers.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <utility>

#include "proxies/core/connection.h"
#include "proxies/http2/follower.h"
#include "proxies/http2/stream_effect.h"

namespace watchproof::proxy {

class Followers {
 public:
  // Call before a byte of the connection is read, and before any effect is attached to it.
  void Follow(Connection& connection) {
    constexpr std::uint64_t kFollowerKey = 0;  // no effect's: their ids begin with 1
    std::erase_if(followers_, [](const auto& entry) { return entry.second.expired(); });
    auto follower = std::make_shared<Follower>();
    for (const Direction direction : kNarrow) {
      connection.pipe(direction).AddStage(kFollowerKey, FollowerStage(follower, direction));
    }
    followers_[connection.id()] = std::move(follower);
  }
  // Nothing happens to a connection that is not followed.
  void Attach(std::uint64_t key, StreamEffect& effect, Direction direction,
              Connection& connection) {
    const auto follower = Of(connection);
    if (!follower || !connection.live()) return;
    follower->AddStage(key, effect.MakeFrameStage(connection.id(), direction));
  }
  // What the stage of that key held flows on.
  void Detach(std::uint64_t key, Connection& connection) {
    const auto follower = Of(connection);
    if (!follower) return;
    AdvanceBoth(connection);
    follower->RemoveStage(key, Clock::now());
    AdvanceBoth(connection);
  }

 private:
  std::shared_ptr<Follower> Of(const Connection& connection) const {
    const auto it = followers_.find(connection.id());
    return it == followers_.end() ? nullptr : it->second.lock();
  }
  static void AdvanceBoth(Connection& connection) {
    for (const Direction direction : kNarrow) {
      if (connection.live()) connection.pipe(direction).Advance();
    }
  }

  std::map<ConnectionId, std::weak_ptr<Follower>> followers_;
};

}  // namespace watchproof::proxy
