// SPDX-License-Identifier: Apache-2.0
// Faults that are one effect on a stream of the faulted road: those that end it, and those that
// hold something of it back.
//
//   const FaultRegistration kGoAway{{
//       .info = {.name = "goaway", ..., .follows_streams = true},
//       .make = [](const FaultParameters& given) { return MakeStreamCut("goaway", given); },
//   }};
//
// The parameters are the effect's own, under the same names. Not thread-safe. Ownership: as Fault.
#pragma once

#include <memory>
#include <string>

#include "harness/faults/proxy_fault.h"

namespace watchproof {

// Felt when the effect acted and a watch stream of the clients ended after it.
Result<std::unique_ptr<Fault>> MakeStreamCut(std::string effect, const FaultParameters& given);

// Felt when the effect held at least `at-least` bytes back and, meanwhile, the target's
// slow-watcher gauge rose or nothing arrived for kLeastGap. `at-least` is the fault's own
// parameter.
Result<std::unique_ptr<Fault>> MakeStreamHold(std::string effect, const FaultParameters& given,
                                              proxy::Direction direction);
inline constexpr Duration kLeastGap = 100ms;

}  // namespace watchproof
