// SPDX-License-Identifier: Apache-2.0
// How coroutines are written here: operations complete with tuples, never with exceptions.
//
//   auto [error] = co_await socket.async_wait(Tcp::socket::wait_read, kAsTuple);
//   if (stopped_) co_return;   // after every co_await: any state may have changed
//
// Threads: the io thread only.
#pragma once

#include <boost/asio/as_tuple.hpp>
#include <boost/asio/awaitable.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/use_awaitable.hpp>

#include "harness/base/deadline.h"

namespace watchproof::proxy {

using Io = boost::asio::io_context;
using Tcp = boost::asio::ip::tcp;
using Task = boost::asio::awaitable<void>;

inline constexpr auto kAsTuple = boost::asio::as_tuple(boost::asio::use_awaitable);

// Lets one coroutine sleep until it is notified or a moment has come. A notification without a
// sleeper is not kept: look at the state right before waiting, with no co_await in between.
class Signal {
 public:
  explicit Signal(Io& io) : timer_(io) {}

  // Requires: no other coroutine waits on this signal.
  Task WaitUntil(TimePoint at) {
    timer_.expires_at(at);
    co_await timer_.async_wait(kAsTuple);
  }
  void Notify() { timer_.cancel(); }

 private:
  boost::asio::steady_timer timer_;
};

}  // namespace watchproof::proxy
