// SPDX-License-Identifier: Apache-2.0
// Reads along with the connections of a proxy, without influence on them.
//
//   class Capture final : public ByteObserver { ... };
//   proxies.Open({.target_port = 2379, .observer = std::make_shared<Capture>()});
//
// Threads: called on the io thread, which waits for the return: where a delay matters, the work is
// done elsewhere.
#pragma once

#include <memory>
#include <string_view>

#include "harness/base/deadline.h"
#include "proxies/core/connection_info.h"
#include "proxies/core/direction.h"

namespace watchproof::proxy {

class Connection;

class ByteObserver {
 public:
  virtual ~ByteObserver() = default;
  // As they were read, before any effect acts on them.
  virtual void OnBytes(ConnectionId connection, Direction direction, std::string_view bytes,
                       TimePoint now) = 0;
  // Once for each connection that was begun; nothing of it follows.
  virtual void OnOver(ConnectionId connection) = 0;
};

// Shows the observer the bytes of a connection, which shares it. Requires: no byte was read yet,
// and no effect is in its pipes.
void Observe(std::shared_ptr<ByteObserver> observer, Connection& connection);

}  // namespace watchproof::proxy
