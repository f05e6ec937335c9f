// SPDX-License-Identifier: Apache-2.0
// Faults that no network brings about: clients are told something else than the target said, and
// the question is whether the oracle notices. For targets of our own only.
//
//   .info = {..., .self_test_only = true},
//   .make = [](const FaultParameters& given) {
//     return MakeTamper({.effect = "corrupt", .count = &proxy::Receipt::bytes_corrupted,
//                     .counted_as = "bytes_corrupted"}, given);
//   }
//
// Felt when the proxy lied and, after it, something is held against the target or a watch stream
// ended. Not thread-safe. Ownership: as Fault.
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
