// SPDX-License-Identifier: Apache-2.0
// One client's connection and its counterpart to the target, with a pipe for each direction.
//
// A half-close passes through like any byte. A reset of one side travels in line behind the bytes
// that came before it, and then resets the other side. The pipes exist from the start, so that
// stages can be put in before the target is dialled. Before that it can be held: its client is
// connected, and nothing happens.
//
// Threads: the io thread only. Ownership: owns sockets and pipes. `on_finished` is the last thing
// it calls, when no coroutine of it is left; that is the moment to destroy it.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "proxies/core/buffers.h"
#include "proxies/core/connection_info.h"
#include "proxies/core/direction.h"
#include "proxies/core/pipe.h"
#include "proxies/core/task.h"

namespace watchproof::proxy {

class Connection {
 public:
  struct Options {
    ConnectionId id;
    const std::vector<Tcp::endpoint>& targets;  // tried in order; outlives the connection
    Buffers buffers;
    std::function<void(ConnectionId)> on_finished;
  };
  Connection(Io& io, Options options, Tcp::socket client);

  // Dials the target and moves bytes until both directions ended. Call once.
  void Start();
  // The target is not dialled before `until`, or before the same key is released.
  void Hold(std::uint64_t key, TimePoint until);
  void LetGo(std::uint64_t key);
  // Closes both sides with FIN or RST, now. Nothing happens if they are closed already.
  void Close();
  void Reset();

  ConnectionId id() const { return options_.id; }
  bool live() const { return IsLive(state_); }
  ConnectionInfo info() const;
  Pipe& pipe(Direction direction) {
    return direction == Direction::kToClient ? to_client_ : to_target_;
  }

  // What its pipes report.
  // The end of the source was passed on to the sink.
  void OnEnded();
  // It is to end: a reset reached the head of the line, or a stage requests it.
  void OnEndingDue(Ending ending, Pipe& pipe);
  // A stage has done something that the pipe of the other direction must look at.
  void OnPeerDue(Pipe& pipe);
  // The sink takes no more: its peer is gone.
  void OnSinkBroken(Pipe& pipe);

 private:
  Pipe& PeerOf(const Pipe& pipe) { return &pipe == &to_client_ ? to_target_ : to_client_; }
  // Runs `work` as a coroutine that keeps this connection alive.
  void Spawn(Task work);
  Task Serve();
  Task AwaitHolds();
  // True when the target accepted.
  boost::asio::awaitable<bool> Dial();
  void Finish(ConnectionState state);
  // The sink of `pipe` is gone; its source goes on, into nothing.
  void Dangle(Pipe& pipe);

  Io& io_;
  const Options options_;
  const std::string client_name_;
  std::string target_name_;
  ConnectionState state_ = ConnectionState::kDialling;
  int running_ = 0;        // coroutines
  bool dangling_ = false;  // one side is gone, the other one got no signal
  std::map<std::uint64_t, TimePoint> holds_;
  Signal let_go_;
  Tcp::socket client_;
  Tcp::socket target_;
  Pipe to_client_;
  Pipe to_target_;
};

}  // namespace watchproof::proxy
