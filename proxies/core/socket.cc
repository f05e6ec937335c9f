// SPDX-License-Identifier: Apache-2.0
#include "proxies/core/socket.h"

#include <fmt/format.h>
#include <netinet/tcp.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <cerrno>

#include "harness/base/log.h"

namespace watchproof::proxy {
namespace {

using boost::system::error_code;

// Rounds of reading and discarding before a close; more is only needed for a peer that never
// pauses.
constexpr int kWasteRounds = 64;
// Descriptors come back when other connections end, so trying again is worth it, but not at once.
constexpr Duration kPauseWhenExhausted = 50ms;

// Asio's own open() would leave a moment in which a fork in another thread inherits the descriptor.
template <typename AnySocket>
Status OpenPrivate(AnySocket& socket, const Tcp& protocol) {
  const int descriptor =
      ::socket(protocol.family(), SOCK_STREAM | SOCK_CLOEXEC, protocol.protocol());
  if (descriptor < 0) return FromErrno(errno).WithContext("making a socket");
  error_code error;
  socket.assign(protocol, descriptor, error);
  if (error) {
    ::close(descriptor);
    return FromErrorCode(error).WithContext("handing a socket to the io thread");
  }
  return {};
}

// The options are best effort: without them a proxy withholds less precisely, but stays correct.
template <typename AnySocket>
void ShrinkBuffers(AnySocket& socket) {
  error_code ignored;
  socket.set_option(boost::asio::socket_base::receive_buffer_size(kSocketBufferBytes), ignored);
  socket.set_option(boost::asio::socket_base::send_buffer_size(kSocketBufferBytes), ignored);
  ::setsockopt(socket.native_handle(), IPPROTO_TCP, TCP_MAXSEG, &kSegmentBytes,
               sizeof(kSegmentBytes));
}

// Reads and writes go through non-blocking calls after a readiness wait, so no buffer is ever lent.
void Tune(Tcp::socket& socket) {
  error_code ignored;
  socket.set_option(Tcp::no_delay(true), ignored);
  socket.non_blocking(true, ignored);
}

}  // namespace

Status OpenBound(Tcp::acceptor& acceptor, const Tcp::endpoint& at, Buffers buffers) {
  WP_RETURN_IF_ERROR(OpenPrivate(acceptor, at.protocol()));
  if (buffers == Buffers::kSharp) ShrinkBuffers(acceptor);  // accepted sockets inherit them
  error_code error;
  acceptor.set_option(Tcp::acceptor::reuse_address(true), error);
  if (!error) acceptor.bind(at, error);
  if (!error) acceptor.non_blocking(true, error);
  if (!error) return {};
  error_code ignored;
  acceptor.close(ignored);
  return FromErrorCode(error).WithContext("listening on {}", ToString(at));
}

Status Listen(Tcp::acceptor& acceptor) {
  error_code error;
  acceptor.listen(boost::asio::socket_base::max_listen_connections, error);
  if (!error) return {};
  error_code ignored;
  const Tcp::endpoint at = acceptor.local_endpoint(ignored);
  acceptor.close(ignored);
  return FromErrorCode(error).WithContext("listening on {}", ToString(at));
}

Status OpenForConnect(Tcp::socket& socket, const Tcp::endpoint& to, Buffers buffers) {
  WP_RETURN_IF_ERROR(OpenPrivate(socket, to.protocol()));
  if (buffers == Buffers::kSharp) ShrinkBuffers(socket);
  Tune(socket);
  return {};
}

boost::asio::awaitable<bool> Accept(Tcp::acceptor& acceptor, Tcp::socket& socket, Signal& pause) {
  const int descriptor = ::accept4(acceptor.native_handle(), nullptr, nullptr, SOCK_CLOEXEC);
  const bool exhausted =
      descriptor < 0 && (errno == EMFILE || errno == ENFILE || errno == ENOBUFS || errno == ENOMEM);
  if (descriptor < 0 && !exhausted) {
    co_await acceptor.async_wait(Tcp::acceptor::wait_read, kAsTuple);
    co_return false;
  }
  error_code error;
  const Tcp::endpoint here = acceptor.local_endpoint(error);
  if (!exhausted && !error) socket.assign(here.protocol(), descriptor, error);
  if (exhausted || error) {
    if (!exhausted) ::close(descriptor);
    LogWarn("a port cannot accept: no descriptors left", {{"port", ToString(here)}});
    co_await pause.WaitUntil(Clock::now() + kPauseWhenExhausted);
    co_return false;
  }
  Tune(socket);
  co_return true;
}

std::int64_t UnreadBytes(const Tcp::socket& socket) {
  error_code error;
  const std::size_t unread = socket.available(error);
  return error ? 0 : static_cast<std::int64_t>(unread);
}

void CloseInOrder(Tcp::socket& socket) {
  error_code error;
  socket.shutdown(Tcp::socket::shutdown_send, error);
  std::array<char, 16 * 1024> waste;  // NOLINT: filled by the read
  for (int round = 0; !error && round < kWasteRounds; ++round) {
    socket.read_some(boost::asio::buffer(waste), error);
  }
  socket.close(error);
}

void CloseWithReset(Tcp::socket& socket) {
  error_code ignored;
  socket.set_option(boost::asio::socket_base::linger(true, 0), ignored);
  socket.close(ignored);
}

std::string ToString(const Tcp::endpoint& endpoint) {
  const std::string address = endpoint.address().to_string();
  return endpoint.address().is_v6() ? fmt::format("[{}]:{}", address, endpoint.port())
                                    : fmt::format("{}:{}", address, endpoint.port());
}

}  // namespace watchproof::proxy
