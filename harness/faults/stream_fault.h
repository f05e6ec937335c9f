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

struct StreamHoldOptions {
  // Who tells that something was held. Creating a watcher in the past makes it slow by itself, so
  // the target's slow-watcher gauge is not always one to ask.
  enum class Witness { kGap, kGaugeOrGap };

  std::string effect;
  proxy::Direction direction = proxy::Direction::kToClient;
  Witness witness = Witness::kGaugeOrGap;
};
// Felt when the effect held at least `at-least` bytes back and, meanwhile, nothing arrived for
// kLeastGap or the gauge rose. `at-least` is the fault's own parameter.
Result<std::unique_ptr<Fault>> MakeStreamHold(const StreamHoldOptions& options,
                                              const FaultParameters& given);

}  // namespace watchproof
