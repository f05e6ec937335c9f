// SPDX-License-Identifier: Apache-2.0
// Faults that end the connections of the faulted road, each in its own way.
//
//   .make = [](const FaultParameters& given) {
//     return MakeConnectionEnd({.effect = "close", .count = &proxy::Receipt::connections_closed,
//                               .counted_as = "connections_closed", .done = "closed"}, given);
//   }
//
// Felt when the proxy has ended at least one and a watch stream of the clients ended after it: an
// end that nobody was connected to notice proves nothing. What the target sends is what is counted
// for "after-bytes". Not thread-safe. Ownership: as Fault.
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

// Those that all of these take.
std::vector<FaultParameterInfo> ConnectionEndParameters();

}  // namespace watchproof
