// SPDX-License-Identifier: Apache-2.0
#include "proxies/control/test_peers.h"

#include <arpa/inet.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cerrno>
#include <cstdint>
#include <filesystem>
#include <utility>

#include "harness/base/check.h"
#include "harness/base/prng.h"

namespace watchproof::proxy {
namespace {

sockaddr_in Loopback(int port) {
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  address.sin_port = htons(static_cast<std::uint16_t>(port));
  return address;
}

int NewSocket() { return ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0); }

// Chunk boundaries of a test reach the proxy as they were sent.
void DisableNagle(int descriptor) {
  const int on = 1;
  ::setsockopt(descriptor, IPPROTO_TCP, TCP_NODELAY, &on, sizeof(on));
}

}  // namespace

TestPeer TestPeer::Connect(std::string_view endpoint) {
  const std::string port(endpoint.substr(endpoint.rfind(':') + 1));
  const sockaddr_in address = Loopback(std::stoi(port));
  TestPeer peer(NewSocket());
  const auto* generic = reinterpret_cast<const sockaddr*>(&address);
  if (::connect(peer.descriptor_, generic, sizeof(address)) != 0) peer.Close();
  if (peer.connected()) DisableNagle(peer.descriptor_);
  return peer;
}

TestPeer::TestPeer(TestPeer&& other) noexcept : descriptor_(std::exchange(other.descriptor_, -1)) {}

TestPeer& TestPeer::operator=(TestPeer&& other) noexcept {
  std::swap(descriptor_, other.descriptor_);
  return *this;
}

bool TestPeer::WaitFor(short events, Deadline deadline) const {
  pollfd one{.fd = descriptor_, .events = events, .revents = 0};
  const auto left = std::chrono::ceil<std::chrono::milliseconds>(deadline.remaining());
  return ::poll(&one, 1, static_cast<int>(left.count())) > 0;
}

bool TestPeer::Send(std::string_view bytes) {
  const Deadline deadline(kPatience);
  while (!bytes.empty()) {
    const std::size_t taken = SendUntilBlocked(bytes);
    bytes.remove_prefix(taken);
    if (taken == 0 && !WaitFor(POLLOUT, deadline)) return false;
    if (taken == 0 && errno != EAGAIN && errno != EINTR) return false;
  }
  return true;
}

std::size_t TestPeer::SendUntilBlocked(std::string_view bytes) {
  std::size_t total = 0;
  errno = 0;
  while (total < bytes.size()) {
    const ssize_t sent = ::send(descriptor_, bytes.data() + total, bytes.size() - total,
                                MSG_NOSIGNAL | MSG_DONTWAIT);
    if (sent <= 0) break;
    total += static_cast<std::size_t>(sent);
  }
  return total;
}

std::string TestPeer::Receive(std::size_t size) {
  const Deadline deadline(kPatience);
  std::string received(size, '\0');
  std::size_t total = 0;
  while (total < size && WaitFor(POLLIN, deadline)) {
    const ssize_t got = ::recv(descriptor_, received.data() + total, size - total, MSG_DONTWAIT);
    if (got == 0 || (got < 0 && errno != EAGAIN && errno != EINTR)) break;
    if (got > 0) total += static_cast<std::size_t>(got);
  }
  received.resize(total);
  return received;
}

std::size_t TestPeer::unread() const {
  int size = 0;
  ::ioctl(descriptor_, FIONREAD, &size);
  return static_cast<std::size_t>(size);
}

TestPeer::Outcome TestPeer::Next() {
  if (!WaitFor(POLLIN, Within(kPatience))) return Outcome::kNothing;
  char byte = 0;
  const ssize_t got = ::recv(descriptor_, &byte, 1, MSG_DONTWAIT | MSG_PEEK);
  if (got > 0) return Outcome::kBytes;
  if (got == 0) return Outcome::kEnd;
  return errno == ECONNRESET ? Outcome::kReset : Outcome::kNothing;
}

void TestPeer::EndSending() { ::shutdown(descriptor_, SHUT_WR); }

void TestPeer::Close() {
  if (descriptor_ >= 0) ::close(std::exchange(descriptor_, -1));
}

void TestPeer::CloseWithReset() {
  const linger at_once{.l_onoff = 1, .l_linger = 0};
  ::setsockopt(descriptor_, SOL_SOCKET, SO_LINGER, &at_once, sizeof(at_once));
  Close();
}

TestServer::TestServer(int backlog) : descriptor_(NewSocket()) {
  sockaddr_in address = Loopback(0);
  auto* generic = reinterpret_cast<sockaddr*>(&address);
  socklen_t size = sizeof(address);
  const bool listening = ::bind(descriptor_, generic, size) == 0 &&
                         ::listen(descriptor_, backlog) == 0 &&
                         ::getsockname(descriptor_, generic, &size) == 0;
  WP_CHECK(listening, "a test needs a port");
  port_ = ntohs(address.sin_port);
}

TestServer::~TestServer() { StopListening(); }

void TestServer::StopListening() {
  if (descriptor_ >= 0) ::close(std::exchange(descriptor_, -1));
}

TestPeer TestServer::Accept() {
  pollfd one{.fd = descriptor_, .events = POLLIN, .revents = 0};
  const auto patience = std::chrono::duration_cast<std::chrono::milliseconds>(kPatience);
  if (::poll(&one, 1, static_cast<int>(patience.count())) <= 0) return TestPeer(-1);
  TestPeer peer(::accept4(descriptor_, nullptr, nullptr, SOCK_CLOEXEC));
  return peer;
}

bool ConnectPair(std::string_view endpoint, TestServer& server, TestPeer& client,
                 TestPeer& target) {
  client = TestPeer::Connect(endpoint);
  target = server.Accept();
  return client.Send("c") && target.Send("t") && target.Receive(1) + client.Receive(1) == "ct";
}

std::string RandomBytes(std::uint64_t seed, std::size_t size) {
  return Prng(seed).Fork("bytes").Word(size);
}

int OpenDescriptors() {
  int count = 0;
  for (const auto& entry : std::filesystem::directory_iterator("/proc/self/fd")) {
    count += entry.exists() ? 1 : 0;
  }
  return count;
}

int InheritableDescriptors() {
  int count = 0;
  for (const auto& entry : std::filesystem::directory_iterator("/proc/self/fd")) {
    const int flags = ::fcntl(std::stoi(entry.path().filename()), F_GETFD);
    count += flags >= 0 && (flags & FD_CLOEXEC) == 0 ? 1 : 0;
  }
  return count;
}

std::size_t FillUp(TestPeer& sender, std::string_view flood, const Proxies& proxies,
                   ProxyId proxy) {
  constexpr int kQuietRounds = 300;
  std::size_t taken = 0;
  std::int64_t passed = 0;
  int quiet = 0;
  const bool full = Eventually([&] {
    const std::size_t more = sender.SendUntilBlocked(flood.substr(taken));
    const ConnectionInfo now = proxies.Connections(proxy).back();
    const std::int64_t both = now.bytes_to_target + now.bytes_to_client;
    quiet = more == 0 && std::exchange(passed, both) == both ? quiet + 1 : 0;
    taken += more;
    return quiet == kQuietRounds;
  });
  WP_CHECK(full && taken < flood.size(), "a receiver that reads nothing stops its sender");
  return taken;
}

}  // namespace watchproof::proxy
