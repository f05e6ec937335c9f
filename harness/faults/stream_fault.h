// SPDX-License-Identifier: Apache-2.0
// Faults that are one effect on a stream of the proxied path: they end it, or hold back some of its
// frames.
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

// The parameters that choose when an effect acts, followed by `more`.
std::vector<FaultParameterInfo> MomentParameters(std::vector<FaultParameterInfo> more);
// How an effect ends streams; listed after the parameters that choose the moment.
inline const FaultParameterInfo kHow{"how", "stream",
                                     "stream: RST_STREAM; connection: RST, with everything on it"};
inline FaultParameterInfo CodeParameter(std::string usual) {
  return {"code", std::move(usual), "the error code sent, such as cancel or refused-stream"};
}
inline const FaultParameterInfo kTimes{"times", "1",
                                       "on how many connections it acts; 0 is all, until healed"};
// How long an effect holds frames back, and how much it must have held.
inline const FaultParameterInfo kHoldTime{"duration", "0ms",
                                          "how long it holds by itself; 0 is until healed"};
inline const FaultParameterInfo kLeastHeld{"at-least", "1B",
                                           "bytes that must have been withheld for it to count"};

// Took effect when the effect acted and a watch stream of the clients ended after it.
Result<std::unique_ptr<Fault>> MakeStreamCut(std::string effect, const FaultParameters& given);

struct StreamHoldOptions {
  // The evidence that something was held. A watcher created in the past is slow anyway, so the
  // target's slow-watcher gauge is not always evidence.
  enum class Evidence { kGap, kGaugeOrGap };

  std::string effect;
  proxy::Direction direction = proxy::Direction::kToClient;
  Evidence evidence = Evidence::kGaugeOrGap;
};
// Took effect when at least `at-least` bytes were held back and, meanwhile, nothing arrived for
// kLeastGap or the gauge rose. `at-least` is the fault's own parameter.
Result<std::unique_ptr<Fault>> MakeStreamHold(const StreamHoldOptions& options,
                                              const FaultParameters& given);

}  // namespace watchproof
