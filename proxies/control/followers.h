// SPDX-License-Identifier: Apache-2.0
// The followers of the live connections of one proxy, and the stages of stream effects in them.
//
// Threads: the io thread only. Ownership: the connections own their followers.
#pragma once

#include <cstdint>
#include <map>
#include <memory>

#include "proxies/core/connection.h"
#include "proxies/http2/follower.h"
#include "proxies/http2/stream_effect.h"

namespace watchproof::proxy {

class Followers {
 public:
  // Call before a byte of the connection is read, and before any effect is attached to it.
  void Follow(Connection& connection);
  // Nothing happens to a connection that is not followed.
  void Attach(std::uint64_t key, StreamEffect& effect, Direction direction, Connection& connection);
  // What the stage of that key held flows on.
  void Detach(std::uint64_t key, Connection& connection);

 private:
  std::shared_ptr<Follower> Of(const Connection& connection) const;

  std::map<ConnectionId, std::weak_ptr<Follower>> followers_;
};

}  // namespace watchproof::proxy
