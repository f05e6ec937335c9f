// SPDX-License-Identifier: Apache-2.0
// Faults that no network causes: clients receive something else than the target sent. They test
// whether the oracle notices. Only for the embedded store.
//
//   .info = {..., .self_test_only = true},
//   .make = [](const FaultParameters& given) {
//     return MakeTamper({.effect = "corrupt", .count = &proxy::Receipt::bytes_corrupted,
//                     .counted_as = "bytes_corrupted"}, given);
//   }
//
// Took effect when the proxy has tampered and, after that, the oracle found something or a watch
// stream ended. Not thread-safe. Ownership: as Fault.
#pragma once

#include <memory>
#include <string>

#include "harness/faults/proxy_fault.h"

namespace watchproof {

struct TamperOptions {
  std::string effect;
  std::int64_t proxy::Receipt::*count;
  std::string counted_as;
};
Result<std::unique_ptr<Fault>> MakeTamper(const TamperOptions& options,
                                          const FaultParameters& given);

}  // namespace watchproof
