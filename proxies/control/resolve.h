// SPDX-License-Identifier: Apache-2.0
// From a host and a port as people write them to addresses.
//
// Threads: any; may ask the name service and then blocks. Done in the caller's thread, because the
// io thread must not wait and Asio's asynchronous resolver would start a thread of its own.
#pragma once

#include <string>
#include <vector>

#include "harness/base/status.h"
#include "proxies/core/task.h"

namespace watchproof::proxy {

struct HostPort {
  std::string host;
  int port = 0;
};

// At least one endpoint, in the order to try them.
Result<std::vector<Tcp::endpoint>> Resolve(const HostPort& where);

}  // namespace watchproof::proxy
