// SPDX-License-Identifier: Apache-2.0
#include "harness/environment/loopback.h"

#include <arpa/inet.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cerrno>

#include "harness/base/deadline.h"
#include "harness/base/prng.h"

namespace watchproof {
namespace {
constexpr std::uint16_t kGuardPort = 2377;  // beside etcd's 2379 and 2380; nothing listens on it
constexpr int kTries = 100;
}  // namespace

Result<LoopbackAddress> LoopbackAddress::Reserve() {
  // Where the search begins must differ between processes and decides nothing else, so no seed of a
  // run is used.
  Prng prng(static_cast<std::uint64_t>(getpid()) ^
            static_cast<std::uint64_t>(Clock::now().time_since_epoch().count()));
  int error = 0;
  for (int i = 0; i < kTries; ++i) {
    const std::string host = fmt::format("127.{}.{}.{}", prng.Between(64, 254),
                                         prng.Between(0, 255), prng.Between(1, 254));
    const int guard = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (guard < 0) return FromErrno(errno).WithContext("socket");
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_port = htons(kGuardPort);
    inet_pton(AF_INET, host.c_str(), &address.sin_addr);
    if (bind(guard, reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0 &&
        listen(guard, 1) == 0) {
      return LoopbackAddress(host, guard);
    }
    error = errno;
    close(guard);
  }
  return FromErrno(error).WithContext("no free loopback address in {} tries", kTries);
}

LoopbackAddress::~LoopbackAddress() {
  if (guard_ >= 0) close(guard_);
}

}  // namespace watchproof
