// SPDX-License-Identifier: Apache-2.0
// The embedded store with a defect, and a proxy that delays what it answers, in one process. Ends
// with its standard input.
#include <cstdio>
#include <string>

#include "embedded_store/server/store_server.h"
#include "proxies/control/proxy_handle.h"

using watchproof::proxy::Direction;
using watchproof::proxy::Proxies;
using watchproof::store::StoreServer;

int main() {
  const auto server = StoreServer::Start({.port = 0, .defects = {"filter-ignored"}});
  if (!server.has_value()) {
    std::fprintf(stderr, "%s\n", server.error().message().c_str());
    return 1;
  }
  const std::string endpoint = (*server)->endpoint();
  const int port = std::stoi(endpoint.substr(endpoint.rfind(':') + 1));
  Proxies proxies;
  const auto front = proxies.Open({.name = "front", .target_port = port});
  if (!front.has_value()) return 1;
  const auto delay = proxies.Arm(
      *front,
      {.kind = "latency", .direction = Direction::kToClient, .parameters = {{"delay", "20ms"}}});
  if (!delay.has_value()) {
    std::fprintf(stderr, "%s\n", delay.error().message().c_str());
    return 1;
  }
  std::printf("store %s, proxy %s\n", endpoint.c_str(), proxies.endpoint(*front).c_str());
  std::fflush(stdout);
  while (std::getchar() != EOF) {
  }
  return 0;
}
