// SPDX-License-Identifier: Apache-2.0
#include "proxies/core/connection.h"

#include <algorithm>
#include <boost/asio/co_spawn.hpp>
#include <exception>
#include <utility>

#include "harness/base/check.h"
#include "harness/base/log.h"
#include "proxies/core/socket.h"

namespace watchproof::proxy {

using boost::system::error_code;

namespace {

std::string PeerName(const Tcp::socket& socket) {
  error_code error;
  const Tcp::endpoint peer = socket.remote_endpoint(error);
  return error ? "a client that left at once" : ToString(peer);
}

}  // namespace

Connection::Connection(Io& io, Options options, Tcp::socket client)
    : io_(io),
      options_(std::move(options)),
      client_name_(PeerName(client)),
      let_go_(io),
      client_(std::move(client)),
      target_(io),
      to_client_(io, Direction::kToClient,
                 {.source = target_, .sink = client_, .buffers = options_.buffers}, *this),
      to_target_(io, Direction::kToTarget,
                 {.source = client_, .sink = target_, .buffers = options_.buffers}, *this) {}

void Connection::Start() { Spawn(Serve()); }

void Connection::Spawn(Task work) {
  ++running_;
  boost::asio::co_spawn(io_, std::move(work), [this](std::exception_ptr thrown) {
    WP_CHECK(thrown == nullptr, "coroutines of a proxy do not throw");
    if (--running_ > 0) return;
    const Options last_words = options_;  // the call destroys this
    last_words.on_finished(last_words.id);
  });
}

Task Connection::Serve() {
  co_await AwaitHolds();
  const bool reached = live() && co_await Dial();
  if (!live()) co_return;  // reset while dialling
  if (!reached) {
    LogDebug("the target does not accept connections",
             {{"target", ToString(options_.targets.back())}, {"client", client_name_}});
    Finish(ConnectionState::kUnreachable);
    co_return;
  }
  state_ = ConnectionState::kOpen;
  Spawn(to_client_.ReadLoop());
  Spawn(to_client_.WriteLoop());
  Spawn(to_target_.ReadLoop());
  Spawn(to_target_.WriteLoop());
}

void Connection::Hold(std::uint64_t key, TimePoint until) { holds_[key] = until; }

void Connection::LetGo(std::uint64_t key) {
  if (holds_.erase(key) > 0) let_go_.Notify();
}

Task Connection::AwaitHolds() {
  while (live()) {
    TimePoint last{};
    for (const auto& [key, until] : holds_) last = std::max(last, until);
    if (last <= Clock::now()) co_return;
    co_await let_go_.WaitUntil(last);
  }
}

boost::asio::awaitable<bool> Connection::Dial() {
  for (const Tcp::endpoint& target : options_.targets) {
    if (!OpenForConnect(target_, target, options_.buffers).ok()) continue;
    const auto [error] = co_await target_.async_connect(target, kAsTuple);
    if (!live()) co_return false;
    if (!error) {
      target_name_ = ToString(target);
      co_return true;
    }
    error_code ignored;
    target_.close(ignored);
  }
  co_return false;
}

void Connection::Close() { Finish(ConnectionState::kClosed); }
void Connection::Reset() { Finish(ConnectionState::kReset); }

void Connection::OnEnded() {
  if (dangling_ || (to_client_.ended() && to_target_.ended())) Finish(ConnectionState::kClosed);
}

void Connection::OnEndingDue(Ending ending, Pipe& pipe) {
  if (ending == Ending::kNone) return;
  if (ending == Ending::kHalfOpen) return Dangle(pipe);
  Finish(ending == Ending::kClose ? ConnectionState::kClosed : ConnectionState::kReset);
}

void Connection::Dangle(Pipe& pipe) {
  if (dangling_ || state_ != ConnectionState::kOpen) return;
  dangling_ = true;
  pipe.LoseSink();
  PeerOf(pipe).Stop();
  CloseWithReset(&pipe == &to_client_ ? client_ : target_);
}

void Connection::OnPeerDue(Pipe& pipe) {
  if (live()) PeerOf(pipe).Advance();
}

void Connection::OnSinkBroken(Pipe& pipe) { PeerOf(pipe).OnSourceBroken(); }

void Connection::Finish(ConnectionState state) {
  if (!live()) return;
  state_ = state;
  to_client_.Stop();
  to_target_.Stop();
  let_go_.Notify();
  if (state == ConnectionState::kClosed) {
    CloseInOrder(client_);
    CloseInOrder(target_);
  } else {
    CloseWithReset(client_);
    CloseWithReset(target_);
  }
}

ConnectionInfo Connection::info() const {
  return {.id = options_.id,
          .state = state_,
          .client = client_name_,
          .target = target_name_,
          .bytes_to_client = to_client_.bytes_passed(),
          .bytes_to_target = to_target_.bytes_passed()};
}

}  // namespace watchproof::proxy
