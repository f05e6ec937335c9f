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
#include <utility>
#include <vector>

#include "harness/faults/proxy_fault.h"

namespace watchproof {

// When an effect acts, and then `more`.
std::vector<FaultParameterInfo> MomentParameters(std::vector<FaultParameterInfo> more);
// How an effect that ends streams does so, behind what chooses the moment.
inline const FaultParameterInfo kHow{"how", "stream",
                                     "stream: RST_STREAM; connection: RST, with everything on it"};
inline FaultParameterInfo CodeParameter(std::string usual) {
  return {"code", std::move(usual), "the reason that is given, such as cancel or refused-stream"};
}
inline const FaultParameterInfo kTimes{"times", "1",
                                       "on how many connections it acts; 0 is all, until healed"};
// How long one that holds does so, and when that counts.
inline const FaultParameterInfo kHoldTime{"duration", "0ms",
                                          "how long it holds by itself; 0 is until healed"};
inline const FaultParameterInfo kLeastHeld{"at-least", "1B",
                                           "bytes that must have been withheld for it to count"};

// Felt when the effect acted and a watch stream of the clients ended after it.
Result<std::unique_ptr<Fault>> MakeStreamCut(std::string effect, const FaultParameters& given);

struct StreamHoldOptions {
  // Who tells that something was held. Creating a watcher in the past makes it slow by itself, so
  // the target's slow-watcher gauge is not always one to ask.
  enum class Evidence { kGap, kGaugeOrGap };

  std::string effect;
  proxy::Direction direction = proxy::Direction::kToClient;
  Evidence evidence = Evidence::kGaugeOrGap;
};
// Felt when the effect held at least `at-least` bytes back and, meanwhile, nothing arrived for
// kLeastGap or the gauge rose. `at-least` is the fault's own parameter.
Result<std::unique_ptr<Fault>> MakeStreamHold(const StreamHoldOptions& options,
                                              const FaultParameters& given);

}  // namespace watchproof
