// SPDX-License-Identifier: Apache-2.0
// Accepts the clients of one proxy and keeps the table of their connections.
//
//   Listener listener(io, {.listen = at, .targets = {target}, .prepare = ...});
//   WP_RETURN_IF_ERROR(listener.Open());
//
// Threads: the io thread only. Ownership: owns its connections. Destroyed only when Close was
// called and it is idle, or the io thread has run out of work.
#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "harness/base/status.h"
#include "proxies/core/connection.h"
#include "proxies/core/task.h"

namespace watchproof::proxy {

class Listener {
 public:
  struct Options {
    Tcp::endpoint listen;
    std::vector<Tcp::endpoint> targets;
    Buffers buffers = Buffers::kSharp;
    // Called for each new connection before a byte of it is read and before the target is dialled.
    std::function<void(Connection&)> prepare;
  };
  Listener(Io& io, Options options);
  ~Listener();

  // Listens at once. Call once.
  Status Open();
  // Whether connections are accepted. While refused the port stays reserved and the kernel answers
  // with RST. The error is the reason why it no longer listens.
  enum class Admission { kOpen, kRefusing };
  Status Turn(Admission admission);
  // Stops listening and ends every connection, with FIN or RST; their coroutines end soon after.
  enum class CloseNotice { kInOrder, kReset };
  void Close(CloseNotice close_notice);
  // True when it was closed and no coroutine refers to it any more.
  bool idle() const { return !accepting_ && connections_.empty(); }

  // Where it listens; the port is a real one even if 0 was asked for.
  const std::string& endpoint() const { return endpoint_; }
  // The live connections and the last kRemembered that ended, by id.
  std::vector<ConnectionInfo> Describe() const;
  template <typename Visitor>
  void ForEachConnection(Visitor visit) {
    for (auto& [id, connection] : connections_) visit(*connection);
  }

  static constexpr std::size_t kRemembered = 1024;

 private:
  Task AcceptLoop();
  void Admit(Tcp::socket client);
  void Forget(ConnectionId id);

  Io& io_;
  const Options options_;
  std::string endpoint_;
  Tcp::acceptor acceptor_;
  Admission admission_ = Admission::kOpen;
  bool closed_ = false;
  bool accepting_ = false;  // its coroutine runs
  Signal pause_;            // while refusing, or between two attempts when out of descriptors
  ConnectionId last_id_;
  std::map<ConnectionId, std::unique_ptr<Connection>> connections_;
  std::deque<ConnectionInfo> ended_;  // the oldest is dropped
};

}  // namespace watchproof::proxy
