// SPDX-License-Identifier: Apache-2.0
// Faults that end the connections of the proxied path: reset, close, half-close.
//
//   .make = [](const FaultParameters& given) {
//     return MakeConnectionEnd({.effect = "close", .count = &proxy::Receipt::connections_closed,
//                               .counted_as = "connections_closed", .done = "closed"}, given);
//   }
//
// Took effect when the proxy has ended at least one connection and a watch stream of the clients
// ended after that: without a connected client an end proves nothing. "after-bytes" counts the
// bytes that the target sends. Not thread-safe. Ownership: as Fault.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "harness/faults/proxy_fault.h"

namespace watchproof {

struct ConnectionEndOptions {
  std::string effect;
  std::int64_t proxy::Receipt::*count;  // of connections
  std::string counted_as;
  std::string done;  // "reset"
};
Result<std::unique_ptr<Fault>> MakeConnectionEnd(const ConnectionEndOptions& options,
                                                 const FaultParameters& given);

// The parameters common to all of these faults.
std::vector<FaultParameterInfo> ConnectionEndParameters();

}  // namespace watchproof
