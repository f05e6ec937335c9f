// SPDX-License-Identifier: Apache-2.0
// Who dialled each connection of one proxy, as the dialler says itself in a header of its HTTP/1
// requests: the members of an etcd cluster name themselves so, and nothing else tells their links
// apart at a port that all of them dial.
//
//   callers.Follow(connection, {.header = "X-Server-From", .known = [&](ConnectionId id) { ... }});
//   callers.NameOf(connection.id());   // "8e9e05c52164694d"; empty while it is not known
//
// The request that names the dialler is held until `known` has been called and LetGo follows, so
// that an effect on this dialler's connections covers it from that request on. Requests before it
// pass; they have no body, because in HTTP/1 only a request that names itself sends one here.
//
// Threads: the io thread only. Ownership: the connections own what follows them.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <string>

#include "proxies/core/connection.h"

namespace watchproof::proxy {

class Callers {
 public:
  struct Options {
    std::string header;
    // Once per connection, not from within one of its stages. LetGo is due then.
    std::function<void(ConnectionId)> known;
  };
  // Call before a byte of the connection is read, and before any effect is attached to it.
  void Follow(Io& io, Connection& connection, const Options& options);
  const std::string& NameOf(ConnectionId connection) const;
  // The request that named the dialler passes.
  void LetGo(Connection& connection);

  struct Caller;

 private:
  // The other owner is the stage in the connection's pipe: either may go first.
  std::map<ConnectionId, std::weak_ptr<Caller>> callers_;
};

}  // namespace watchproof::proxy
