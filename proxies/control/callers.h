// SPDX-License-Identifier: Apache-2.0
// The dialling member of each connection of one proxy, from a header of its HTTP/1 requests: the
// members of an etcd cluster put their id there, and nothing else distinguishes their links at a
// port that all of them dial.
//
//   callers.Follow(connection, {.header = "X-Server-From", .known = [&](ConnectionId id) { ... }});
//   callers.NameOf(connection.id());   // "8e9e05c52164694d"
//
// The request with that header is held until `known` has been called and LetGo follows, so that an
// effect on this member's connections covers it from that request on. Earlier requests pass; they
// have no body, because in HTTP/1 only a request with the header sends one here.
//
// Threads: the io thread only. Ownership: the connections own the stages that read them.
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
  // Empty until `known` is called: an effect that is armed before is attached from there, once.
  const std::string& NameOf(ConnectionId connection) const;
  // Passes the request that identified the dialler.
  void LetGo(Connection& connection);

  struct Caller;

 private:
  // The other owner is the stage in the connection's pipe: either may go first.
  std::map<ConnectionId, std::weak_ptr<Caller>> callers_;
};

}  // namespace watchproof::proxy
