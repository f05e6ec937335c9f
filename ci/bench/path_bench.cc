// SPDX-License-Identifier: Apache-2.0
// Throughput and round-trip time of a path: sends bytes to itself, directly or through a proxy.
//
//   path_bench carry --target 127.0.0.1:7001 --path 127.0.0.1:7002 --connections 64
//   path_bench echo  --target 127.0.0.1:7001 --path 127.0.0.1:7001 --rounds 20000
//
// It listens at the target and connects to the path's address, which must lead to the target.
// Prints name=value pairs. Plain blocking sockets and a thread for each end of a connection: its
// own cost is the same for every path.
#include <arpa/inet.h>
#include <fmt/format.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdint>
#include <string>
#include <thread>
#include <vector>

#include "harness/base/check.h"
#include "harness/base/deadline.h"

namespace watchproof::proxy {
namespace {

constexpr std::size_t kPieceBytes = 64 << 10;
constexpr std::size_t kEchoBytes = 64;

sockaddr_in AddressOf(const std::string& place) {
  const std::size_t colon = place.rfind(':');
  WP_CHECK(colon != std::string::npos, "a place is HOST:PORT");
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(static_cast<std::uint16_t>(std::stoi(place.substr(colon + 1))));
  WP_CHECK(inet_pton(AF_INET, place.substr(0, colon).c_str(), &address.sin_addr) == 1,
           "a host is an IPv4 address");
  return address;
}

void Tune(int descriptor) {
  const int on = 1;
  setsockopt(descriptor, IPPROTO_TCP, TCP_NODELAY, &on, sizeof(on));
}

int ListenAt(const std::string& place) {
  const sockaddr_in address = AddressOf(place);
  const int descriptor = socket(AF_INET, SOCK_STREAM, 0);
  const int on = 1;
  setsockopt(descriptor, SOL_SOCKET, SO_REUSEADDR, &on, sizeof(on));
  WP_CHECK(bind(descriptor, reinterpret_cast<const sockaddr*>(&address), sizeof(address)) == 0 &&
               listen(descriptor, 256) == 0,
           "the target's place must be free");
  return descriptor;
}

int ConnectTo(const std::string& place) {
  const sockaddr_in address = AddressOf(place);
  const int descriptor = socket(AF_INET, SOCK_STREAM, 0);
  WP_CHECK(connect(descriptor, reinterpret_cast<const sockaddr*>(&address), sizeof(address)) == 0,
           "the path must be open");
  Tune(descriptor);
  return descriptor;
}

bool SendAll(int descriptor, const char* bytes, std::size_t size) {
  while (size > 0) {
    const ssize_t sent = send(descriptor, bytes, size, MSG_NOSIGNAL);
    if (sent <= 0) return false;
    bytes += sent;
    size -= static_cast<std::size_t>(sent);
  }
  return true;
}

bool ReceiveAll(int descriptor, char* bytes, std::size_t size) {
  return recv(descriptor, bytes, size, MSG_WAITALL) == static_cast<ssize_t>(size);
}

// One byte goes through first, so that both ends are there when the clock starts.
struct Pair {
  int client;
  int target;
};
std::vector<Pair> OpenPairs(const std::string& target, const std::string& path, int count) {
  const int listener = ListenAt(target);
  std::vector<Pair> pairs;
  for (int i = 0; i < count; ++i) {
    Pair pair{.client = ConnectTo(path), .target = accept(listener, nullptr, nullptr)};
    Tune(pair.target);
    char byte = 0;
    WP_CHECK(SendAll(pair.client, &byte, 1) && ReceiveAll(pair.target, &byte, 1),
             "the path must lead to the target");
    pairs.push_back(pair);
  }
  close(listener);
  return pairs;
}

// Each connection carries its share of the bytes; the last one to be done stops the clock.
void Carry(const std::vector<Pair>& pairs, std::int64_t megabytes) {
  const auto share = static_cast<std::size_t>(megabytes * 1'000'000) / pairs.size();
  std::vector<std::thread> threads;
  const TimePoint from = Clock::now();
  for (const Pair& pair : pairs) {
    threads.emplace_back([pair, share] {
      const std::string piece(kPieceBytes, 'x');
      for (std::size_t sent = 0; sent < share; sent += piece.size()) {
        WP_CHECK(SendAll(pair.client, piece.data(), std::min(piece.size(), share - sent)),
                 "the path stays open");
      }
      shutdown(pair.client, SHUT_WR);
    });
    threads.emplace_back([pair, share] {
      std::string room(kPieceBytes, '\0');
      std::size_t arrived = 0;
      for (ssize_t got = 1; got > 0; arrived += static_cast<std::size_t>(got)) {
        got = std::max<ssize_t>(0, recv(pair.target, room.data(), room.size(), 0));
      }
      WP_CHECK(arrived == share, "every byte arrives");
    });
  }
  for (std::thread& one : threads) one.join();
  const double took = std::chrono::duration<double>(Clock::now() - from).count();
  fmt::print("mb_per_second={:.1f}\n", static_cast<double>(megabytes) / took);
}

void Echo(const Pair& pair, int rounds) {
  std::thread mirror([&pair] {
    char bytes[kEchoBytes];
    while (ReceiveAll(pair.target, bytes, kEchoBytes) && SendAll(pair.target, bytes, kEchoBytes)) {
    }
  });
  std::vector<double> took;
  char bytes[kEchoBytes] = {};
  for (int i = 0; i < rounds; ++i) {
    const TimePoint from = Clock::now();
    WP_CHECK(SendAll(pair.client, bytes, kEchoBytes) && ReceiveAll(pair.client, bytes, kEchoBytes),
             "the path stays open");
    took.push_back(std::chrono::duration<double, std::micro>(Clock::now() - from).count());
  }
  shutdown(pair.client, SHUT_WR);
  mirror.join();
  std::sort(took.begin(), took.end());
  const auto at = [&took](double part) {
    return took[static_cast<std::size_t>(part * static_cast<double>(took.size() - 1))];
  };
  fmt::print("p50_us={:.1f} p99_us={:.1f}\n", at(0.5), at(0.99));
}

}  // namespace

int Main(int argc, char** argv) {
  CLI::App app{"Measures a TCP path."};
  app.require_subcommand(1);
  std::string target;
  std::string path;
  int connections = 1;
  std::int64_t megabytes = 2000;
  int rounds = 20000;
  CLI::App& carry = *app.add_subcommand("carry", "Bytes per second");
  CLI::App& echo = *app.add_subcommand("echo", "Time there and back");
  for (CLI::App* mode : {&carry, &echo}) {
    mode->add_option("--target", target, "Where to listen")->required();
    mode->add_option("--path", path, "Where to connect")->required();
  }
  carry.add_option("--connections", connections, "At the same time");
  carry.add_option("--megabytes", megabytes, "In all");
  echo.add_option("--rounds", rounds, "There and back");
  CLI11_PARSE(app, argc, argv);
  const std::vector<Pair> pairs = OpenPairs(target, path, connections);
  if (carry.parsed()) Carry(pairs, std::max<std::int64_t>(1, megabytes));
  if (echo.parsed()) Echo(pairs.front(), std::max(1, rounds));
  for (const Pair& pair : pairs) {
    close(pair.client);
    close(pair.target);
  }
  return 0;
}

}  // namespace watchproof::proxy

int main(int argc, char** argv) { return watchproof::proxy::Main(argc, argv); }
