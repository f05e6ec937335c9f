// SPDX-License-Identifier: Apache-2.0
// `watchproof store` and `watchproof proxy`: the embedded store and the proxy as single programs.
//
// Blocks: both serve until SIGINT or SIGTERM. Once per process.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "embedded_store/server/tls_files.h"
#include "harness/cli/exit_code.h"

namespace watchproof {

struct StoreFlags {
  std::string listen = "127.0.0.1:2379";
  std::string http;     // empty: the same host, port 2381, or any if `listen` leaves the port open
  std::string data;     // folder; empty: in memory
  std::string restore;  // a snapshot to make the folder of, instead of serving
  bool lease_checkpoints = false;
  std::string progress_interval = "10m";
  std::vector<std::string> defects;
  std::int64_t quota_bytes = 0;  // as etcd: 0 is its default, less is none
  std::int64_t token_seconds = 300;
  store::TlsFiles tls;
  bool strict_previous = false;
};
// Prints "serving on HOST:PORT, http on HOST:PORT" once clients can connect.
ExitCode StoreCommand(const StoreFlags& flags);

struct ProxyFlags {
  std::string listen = "127.0.0.1:0";
  std::string to;
  std::string latency;               // "20ms" or "20ms~5ms"
  std::vector<std::string> effects;  // "kind", "kind:direction", "kind:direction:k=v,..."
  std::string control;               // "HOST:PORT", or a port on loopback; empty: none
  std::string seed;                  // drawn and printed when empty
  bool follow = false;
  bool self_test = false;
  bool sharp = false;
  bool verbose = false;
};
// Prints where it listens and where it can be controlled, and at the end the connections and what
// every effect did.
ExitCode ProxyCommand(const ProxyFlags& flags);

}  // namespace watchproof
