// SPDX-License-Identifier: Apache-2.0
// The two ends of a proxied connection, for tests: plain sockets in which every wait has a
// deadline.
//
//   TestServer server;
//   TestPeer client = TestPeer::Connect(proxies.endpoint(front));
//   TestPeer target = server.Accept();
//   client.Send("hello");
//   EXPECT_EQ(target.Receive(5), "hello");
//
// Threads: one thread per peer and direction. Ownership: each owns its descriptor.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "harness/base/deadline.h"
#include "proxies/control/proxy_handle.h"

namespace watchproof::proxy {

// Generous: it is only used up when something is broken.
inline constexpr Duration kPatience = 10s;

class TestPeer {
 public:
  // A peer without a connection if the connection is refused or not accepted.
  static TestPeer Connect(std::string_view endpoint);
  explicit TestPeer(int descriptor) : descriptor_(descriptor) {}
  TestPeer(TestPeer&& other) noexcept;
  TestPeer& operator=(TestPeer&& other) noexcept;
  ~TestPeer() { Close(); }

  bool connected() const { return descriptor_ >= 0; }
  // True when everything was handed to the kernel within kPatience.
  bool Send(std::string_view bytes);
  // Sends from `bytes` until the kernel takes no more for the moment; returns how much it took.
  std::size_t SendUntilBlocked(std::string_view bytes);
  // Up to `size` bytes: fewer only if the stream ended, was reset, or kPatience ran out.
  std::string Receive(std::size_t size);
  // What is there now, without waiting.
  std::size_t unread() const;

  enum class Outcome { kEnd, kReset, kBytes, kNothing };
  // The next outcome. Waits for it up to kPatience.
  Outcome Next();

  void EndSending();
  void Close();
  void CloseWithReset();

 private:
  bool WaitFor(short events, Deadline deadline) const;

  int descriptor_;
};

class TestServer {
 public:
  // Lets `backlog` connections, and one, wait for Accept; more of them stay half open.
  explicit TestServer(int backlog = 1024);
  ~TestServer();
  TestServer(const TestServer&) = delete;
  TestServer& operator=(const TestServer&) = delete;

  int port() const { return port_; }
  // A peer without a connection if no client came within kPatience.
  TestPeer Accept();
  // From now on connections are refused.
  void StopListening();

 private:
  int descriptor_;
  int port_ = 0;
};

// Connects the client to the endpoint of a proxy, and the server behind it to the target. Whether
// both ends are up, which they are once a byte has passed each way.
bool ConnectPair(std::string_view endpoint, TestServer& server, TestPeer& client, TestPeer& target);

// `size` bytes that depend on the seed and on nothing else.
std::string RandomBytes(std::uint64_t seed, std::size_t size);
int OpenDescriptors();
// Open descriptors that a child process would inherit.
int InheritableDescriptors();

// Checks again and again without sleeping: each check goes through the io thread, which keeps
// working.
template <typename Fact>
bool Eventually(Fact fact) {
  const Deadline deadline(kPatience);
  while (!fact()) {
    if (deadline.expired()) return false;
  }
  return true;
}

// Sends from `flood` until, for many rounds through the io thread, the sender is blocked and the
// newest connection passes nothing on. Returns how much was sent.
std::size_t FillUp(TestPeer& sender, std::string_view flood, const Proxies& proxies, ProxyId proxy);

}  // namespace watchproof::proxy
